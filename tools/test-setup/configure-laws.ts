// Setup of every test file: laws run as often as LAW_RUNS says.

import { lawRuns } from "@virt/testkit/law-runs";
import fc from "fast-check";

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: lawRuns() });
