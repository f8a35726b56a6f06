import { type Check, type ClusterReader, phaseIs } from "./cluster-reader.ts";
import { askToApprove, editCommand, planCommand, plugin, reviewCommands, type Suggestion } from "./suggestion.ts";

export type DemoStage = {
  readonly title: string;
  readonly suggest: (cluster: ClusterReader) => Promise<readonly Suggestion[]>;
  readonly isOver: Check;
};

export const loadAware = "load-aware-rebalancing";
export const density = "virt-higher-density";
const descheduler = "kubedescheduler cluster -n openshift-kube-descheduler-operator";

export const type =
  (...suggestions: readonly Suggestion[]): DemoStage["suggest"] =>
  () =>
    Promise.resolve(suggestions);

export const typeFor =
  (profile: string, suggest: (config: Parameters<typeof reviewCommands>[0]) => readonly Suggestion[]) =>
  async ({ readConfig }: ClusterReader): Promise<readonly Suggestion[]> => {
    const config = await readConfig(profile);
    return config === undefined ? [] : suggest(config);
  };

export const draft = (profile: string): DemoStage => ({
  title: `a plan for ${profile} is drafted, and nothing changes`,
  suggest: type(planCommand(profile, "see what it would change"), askToApprove(profile)),
  isOver: phaseIs(profile, "ReviewRequired"),
});

export const approve = (profile: string, title: string, isOver = phaseIs(profile, "Completed")): DemoStage => ({
  title,
  suggest: typeFor(profile, reviewCommands),
  isOver,
});

const editInterval = (seconds: number, about: string) =>
  editCommand(descheduler, { deschedulingIntervalSeconds: seconds }, about);

export const tamper: DemoStage = {
  title: "an applied object is edited manually, which is drift",
  suggest: type(editInterval(180, "edit it manually")),
  isOver: phaseIs(loadAware, "Drifted"),
};

export const showDrift: Suggestion = {
  command: `${plugin} drift ${loadAware}`,
  about: "show the changed field and who changed it",
  exitCode: 2,
};

export const putBack: DemoStage = {
  title: "the edit is undone, and the drift is gone",
  suggest: type(showDrift, editInterval(60, "undo the edit (or draft a new plan)")),
  isOver: phaseIs(loadAware, "Completed"),
};
