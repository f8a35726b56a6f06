// Setup of every test file: runs each property-based test LAW_RUNS times.

import { lawRuns } from "@virt/testkit/law-runs";
import fc from "fast-check";

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: lawRuns() });
