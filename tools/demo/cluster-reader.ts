import { configKind, type Status, type VirtPlatformConfig } from "@virt/api";
import { at, type KubeObject } from "@virt/objects";
import type { ApiUser } from "@virt/testkit";
import { type PlatformEvent, platformEvent } from "./platform-event.ts";

export type ClusterReader = {
  readonly readConfig: (name: string) => Promise<VirtPlatformConfig | undefined>;
  readonly readObject: (path: string) => Promise<KubeObject | undefined>;
  readonly listPlatformEvents: () => Promise<readonly PlatformEvent[]>;
};

export type Check = (cluster: ClusterReader) => Promise<boolean>;

export function openReader({ request }: Pick<ApiUser, "request">): ClusterReader {
  const readObject = async (path: string) => {
    const { status, body } = await request({ path });
    return status === 200 ? (body as KubeObject) : undefined;
  };
  const configs = `/apis/${configKind.apiVersion}/${configKind.plural}`;
  return {
    readObject,
    readConfig: async (name) => (await readObject(`${configs}/${name}`)) as unknown as VirtPlatformConfig | undefined,
    listPlatformEvents: async () => {
      const list = (await readObject("/apis/events.k8s.io/v1/events")) as { items?: readonly KubeObject[] } | undefined;
      return (list?.items ?? []).flatMap((event) => platformEvent(event) ?? []);
    },
  };
}

const whenStatus =
  (profile: string, isIt: (status: Status) => boolean): Check =>
  async ({ readConfig }) =>
    isIt((await readConfig(profile))?.status ?? {});

export const phaseIs = (profile: string, wanted: Status["phase"]): Check =>
  whenStatus(profile, ({ phase }) => phase === wanted);

export const hasFinding = (profile: string, wanted: string): Check =>
  whenStatus(profile, ({ rollout }) => (rollout?.findings ?? []).some(({ id }) => id === wanted));

export const hasEvent =
  (wanted: string, words = ""): Check =>
  async ({ listPlatformEvents }) =>
    (await listPlatformEvents()).some(({ reason, note }) => reason === wanted && note.includes(words));

export const fieldIs =
  (path: string, field: readonly string[], value: string | number): Check =>
  async ({ readObject }) =>
    at(await readObject(path), ...field) === value;

export const both =
  (one: Check, other: Check): Check =>
  async (cluster) =>
    (await one(cluster)) && (await other(cluster));
