import { drainScenarios } from "./drain-scenarios.ts";
import type { Scenario } from "./scenario.ts";
import { standardScenarios } from "./standard-scenarios.ts";

export const scenarios: ReadonlyMap<string, Scenario> = new Map([...standardScenarios, ...drainScenarios]);
