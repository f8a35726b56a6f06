// Every command that the command line and the console print, in the order of a plan's life, which is the test's order.

import { assetStrings } from "../../apps/console/src/pages/asset-strings.ts"; // oxlint-disable-line no-restricted-imports -- what the page prints
import { annotateCommand } from "../../apps/console/src/pages/assets/target-name.ts"; // oxlint-disable-line no-restricted-imports -- what the page prints
import { higherDensity, loadAware } from "../support/advisor.ts";
import type { Paste } from "./pasted-command.ts";

const plugin = "kubectl virt-advisor";
export const reportNamespace = "virt-platform-operator-system";
const shownHash = `$(kubectl get vpconf ${loadAware} -o jsonpath={.status.planHash} | cut -c1-12)`;
const hyperConverged = { kind: "HyperConverged", namespace: "openshift-cnv", name: "kubevirt-hyperconverged" };

export const cliPastes: readonly Paste[] = [
  { command: `${plugin} help` },
  { command: `${plugin} approve --help` },
  { command: `${plugin} profiles` },
  { command: `${plugin} plan ${loadAware}`, code: 2 },
  { command: `${plugin} plan ${higherDensity}`, code: 2 },
  { command: `${plugin} plan ${loadAware} --set mode=Predictive`, code: 2 },
  { command: `${plugin} diff ${loadAware}`, code: 2 },
  { command: `${plugin} diff`, code: 2 },
  { command: `${plugin} impact ${loadAware}` },
  { command: `${plugin} impact ${loadAware} -o json` },
  { command: `${plugin} status ${loadAware}` },
  { command: `${plugin} status ${loadAware} --watch`, code: 130 },
  { command: `${plugin} approve ${loadAware} --hash ${shownHash}` },
  { command: `${plugin} explain aaq-operator` },
  { command: `${plugin} assets -n ${reportNamespace}` },
  { command: `${plugin} render` },
  { command: `${plugin} enable`, typed: "yes" },
  { command: `${plugin} adopt`, code: 2 },
  { command: `${plugin} adopt --back`, code: 2 },
  { command: `${plugin} status` },
  { command: `${plugin} assets` },
  { command: `${plugin} console` },
  { command: "kubectl auth can-i list virtplatformconfigs.advisor.kubevirt.io" },
  { command: "kubectl apply -f config/samples/loadaware_sample.yaml" },
  ...assetStrings.overrideCommands.flatMap(({ annotation }) => {
    const command = `${annotateCommand(hyperConverged)} platform.kubevirt.io/${filledIn(annotation)}`;
    const other = command.replace("eviction", "uninstall"); // for an object that already has the annotation
    return [command, other, `${annotateCommand(hyperConverged)} ${keyOf(annotation)}-`].map((one) => ({
      command: one,
    }));
  }),
];

function filledIn(annotation: string): string {
  return annotation.replace("/spec/…", "/spec/evictionStrategy").replace("…", '"None"');
}

function keyOf(annotation: string): string {
  return `platform.kubevirt.io/${annotation.split("=")[0] ?? ""}`;
}

/** Commands from the next step of a profile, which packages/views/src/next-step.ts assembles. */
export const nextStepPastes: readonly Paste[] = [["drift"], ["doctor"]].map(([verb]) => ({
  command: `${plugin} ${verb} ${loadAware}`,
}));
