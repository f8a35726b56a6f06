import { fieldIs, phaseIs } from "./cluster-reader.ts";
import type { DemoScenario } from "./scenarios.ts";
import { approve, type } from "./stages.ts";

const profile = "live-migration";
const hco = "/apis/hco.kubevirt.io/v1beta1/namespaces/openshift-cnv/hyperconvergeds/kubevirt-hyperconverged";
const limit = ["spec", "liveMigrationConfig", "parallelMigrationsPerCluster"];
const turnOff = JSON.stringify({ spec: { action: "DryRun", options: { liveMigration: { enabled: false } } } });

export const moreMigrations: DemoScenario = {
  about: "a plan allows more live migrations, and turning its profile off restores the defaults",
  cluster: "three-workers",
  missingKinds: [],
  stages: [
    {
      title: "a plan is drafted with the options of a sample",
      suggest: type({
        command: "kubectl apply --server-side --force-conflicts -f config/samples/livemigration_sample.yaml",
        about: "allow 10 migrations at a time",
      }),
      isOver: phaseIs(profile, "ReviewRequired"),
    },
    approve(profile, "the plan is approved and applied", fieldIs(hco, limit, 10)),
    {
      title: "a plan is drafted that removes the values",
      suggest: type({
        command: `kubectl patch vpconf ${profile} --type=merge -p '${turnOff}'`,
        about: "turn the profile off",
      }),
      isOver: phaseIs(profile, "ReviewRequired"),
    },
    approve(profile, "the plan is approved, and the default returns", fieldIs(hco, limit, 5)),
  ],
};
