// Lists the objects that an operator writes, each with its declared content.

import type { Profile } from "@virt/advisor";
import {
  advertising,
  configKind,
  contentForms,
  type FieldsForm,
  type NodeContent,
  type ObjectForm,
  type ValueForm,
} from "@virt/api";
import { equalJson } from "@virt/objects";
import { type Asset, consentRecordName, governanceRecordName } from "@virt/platform";
import { platform } from "../operators.ts";
import { resourceOf } from "../rbac/asset-rights.ts";
import { formOfNodeContent } from "./node-content.ts";

const { fields, kept, oneOf, optional, required, text } = contentForms;
const anyText = text("(?s).*", 1_048_576);

export type PinnedObject = {
  readonly kind: string;
  /** For example `kubeletconfigs.machineconfiguration.openshift.io`. */
  readonly resource: string;
  readonly name: string;
  readonly forms: readonly ObjectForm[];
  /** True if the object is created by POST instead of server-side apply. */
  readonly isPosted?: true;
};

type DeclaredContent = Omit<PinnedObject, "forms"> & {
  readonly content: NodeContent | undefined;
  readonly forms: readonly ObjectForm[] | undefined;
};

/** Throws if an asset declares no content. */
export function pinnedByAssets(
  assets: readonly Pick<Asset, "target" | "content" | "forms">[],
): readonly PinnedObject[] {
  return pinnedObjects(
    assets.map(({ target, content, forms }) => {
      const { group, resource } = resourceOf(target);
      return { kind: target.kind, resource: resourceName(group, resource), name: target.name, content, forms };
    }),
  );
}

/** Throws if a profile declares no content for a target. */
export function pinnedByProfiles(profiles: readonly Pick<Profile, "name" | "targets">[]): readonly PinnedObject[] {
  return pinnedObjects(
    profiles.flatMap(({ targets }) =>
      targets.flatMap(({ group, kind, plural, names, content = [], forms }) =>
        names.map((name) => ({
          kind,
          resource: resourceName(group, plural),
          name,
          content: content.find(({ object }) => object.metadata.name === name),
          forms,
        })),
      ),
    ),
  );
}

/** ConfigMaps that the platform controller writes in addition to the catalog's objects. */
export const pinnedRecords: readonly PinnedObject[] = [
  recordOf(governanceRecordName, { "governance.json": required(anyText) }),
  recordOf(consentRecordName, { "consent.json": required(anyText) }),
  // report.txt is optional: a replica of an earlier release, which does not write it, can lead during an upgrade.
  recordOf(`${platform.name}-report`, { "report.json": optional(anyText), "report.txt": optional(anyText) }),
];

function recordOf(name: string, members: FieldsForm["fields"]): PinnedObject {
  const data = fields(members);
  return { kind: "ConfigMap", resource: "configmaps", name, forms: [{ apiVersion: "v1", data }] };
}

type Advertised = Pick<Profile, "name" | "isAdvertised" | "description" | "impactSummary" | "category">;

/** Returns the configs that the advisor creates to advertise profiles, with the CRD's defaults. */
export function pinnedAdvertisements(profiles: readonly Advertised[]): readonly PinnedObject[] {
  const { apiVersion, group, kind, plural } = configKind;
  return profiles
    .filter(({ isAdvertised }) => isAdvertised)
    .map(({ name, description, impactSummary, category }) => ({
      kind,
      resource: resourceName(group, plural),
      name,
      isPosted: true,
      forms: [
        {
          apiVersion,
          labels: { [advertising.category]: category },
          annotations: {
            [advertising.autoCreated]: "true",
            [advertising.description]: description,
            [advertising.impactSummary]: impactSummary,
            [advertising.documentation]: text("https?://[!-~]+", 1_024),
          },
          spec: fields({
            profile: required(oneOf(name)),
            action: required(oneOf("Ignore")),
            bypassOptimisticLock: kept(oneOf(false)),
            failurePolicy: kept(oneOf("Abort")),
          }),
        },
      ],
    }));
}

const resourceName = (group: string, resource: string): string => (group === "" ? resource : `${resource}.${group}`);

function pinnedObjects(declared: readonly DeclaredContent[]): readonly PinnedObject[] {
  const objects = Map.groupBy(declared, ({ resource, name }) => `${resource} ${name}`);
  return [...objects.values()].flatMap((parts) => {
    const [first] = parts;
    if (first === undefined) return [];
    const { kind, resource, name } = first;
    return [{ kind, resource, name, forms: mergeForms(parts.flatMap(formsOf)) }];
  });
}

function formsOf({ kind, name, content, forms }: DeclaredContent): readonly ObjectForm[] {
  if (kind === "MachineConfig" && content?.object.metadata.name === name) return [formOfNodeContent(content)];
  if (kind !== "MachineConfig" && forms !== undefined && forms.length > 0) return forms;
  throw new Error(`${kind} ${name} is a target without content: admission policies could not hold us to it`);
}

function mergeForms(forms: readonly ObjectForm[]): readonly ObjectForm[] {
  const versions = Map.groupBy(forms, ({ apiVersion }) => apiVersion);
  return [...versions.values()].map((alike) => alike.reduce(mergeTwo));
}

function mergeTwo(left: ObjectForm, right: ObjectForm): ObjectForm {
  const spec = mergeFields(left.spec, right.spec);
  const data = mergeFields(left.data, right.data);
  return {
    apiVersion: left.apiVersion,
    labels: { ...left.labels, ...right.labels },
    annotations: { ...left.annotations, ...right.annotations },
    ...(spec && { spec }),
    ...(data && { data }),
  };
}

function mergeFields(left: FieldsForm | undefined, right: FieldsForm | undefined): FieldsForm | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const shared = Object.entries(right.fields).map(([key, field]) => {
    const other = left.fields[key];
    return [
      key,
      other === undefined ? field : { ...other, value: mergeValues(key, other.value, field.value) },
    ] as const;
  });
  return fields({ ...left.fields, ...Object.fromEntries(shared) });
}

function mergeValues(key: string, left: ValueForm, right: ValueForm): ValueForm {
  if (left.form === "fields" && right.form === "fields") return mergeFields(left, right) ?? left;
  if (equalJson(left, right)) return left;
  throw new Error(`two assets declare different forms for the field ${key} of one object`);
}
