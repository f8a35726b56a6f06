// Inserts the chart's values into the text of a Deployment.

import type { Area } from "./switches.ts";

/** The first group of `find` is the indentation. */
type Edit = { readonly find: RegExp; readonly put: (pad: string, found: string) => string };

const missingImage =
  "image is not set. Next: build and push an image, and pass it by digest: --set image=<registry>/virt-operators@sha256:<digest>";

const place: readonly Edit[] = [
  {
    find: /^( *)image: .*\n/m,
    put: (pad) => `${pad}image: {{ required ${JSON.stringify(missingImage)} .Values.image | quote }}\n`,
  },
  { find: /^( *)imagePullPolicy: .*\n/m, put: (pad) => `${pad}imagePullPolicy: {{ .Values.pullPolicy }}\n` },
  {
    find: /^( *)tolerations:\n(?:\1[- ] .*\n)+/m,
    put: (pad) => ["imagePullSecrets", "nodeSelector", "tolerations"].map((name) => block(pad, name)).join(""),
  },
  { find: /^( *)affinity:\n(?:\1 .*\n)+/m, put: (pad) => block(pad, "affinity") },
];

const controller: readonly Edit[] = [
  {
    find: /^( *)resources:\n(?:\1 .*\n)+/m,
    put: (pad) => `${pad}resources:\n${pad}  {{- toYaml .Values.resources | nindent ${pad.length + 2} }}\n`,
  },
  {
    find: /^( *)topologySpreadConstraints:\n(?:\1[- ] .*\n)+/m,
    put: (pad) => block(pad, "topologySpreadConstraints"),
  },
  {
    find: /^( *)priorityClassName: .*\n/m,
    put: (pad) => `${pad}{{- with .Values.priorityClassName }}\n${pad}priorityClassName: {{ . }}\n${pad}{{- end }}\n`,
  },
  {
    find: /^( *)- --health-probe-bind-address=.*\n/m,
    put: (pad, found) => `${found}${entries(pad, "extraArgs")}`,
  },
  {
    find: /^( *)- name: POD_NAMESPACE\n(?:\1 .*\n)+/m,
    put: (pad, found) => `${found}${entries(pad, "extraEnv")}`,
  },
  variable("HCO_NAMESPACE", ".Values.hcoNamespace"),
  variable("LOG_LEVEL", ".Values.logLevel"),
  {
    find: /^( *)- --metrics-bind-address=.*\n\1- --metrics-cert-path=.*\n/m,
    put: (pad, found) => `${pad}{{- if .Values.metrics.enabled }}\n${found}${pad}{{- end }}\n`,
  },
];

const own: Readonly<Record<Area, readonly Edit[]>> = {
  advisor: [
    ...controller,
    replicas("advisor"),
    variable("ADVERTISE_PROFILES", ".Values.advisor.advertiseProfiles"),
    variable("REQUIRE_APPROVED_PLAN", ".Values.advisor.requireApprovedPlan"),
    variable("EXAMPLE_PROFILE", ".Values.advisor.exampleProfile"),
  ],
  platform: [...controller, replicas("platform"), variable("ACTIVATION", ".Values.platform.activation")],
  shared: [],
  console: [replicas("advisor")],
  "example-profile": [],
};

function replicas(area: Area): Edit {
  const values = `(dict "own" .Values.${area}.replicas "both" .Values.replicas "capabilities" .Capabilities)`;
  return {
    find: /^( *)replicas: .*\n/m,
    put: (pad) => `${pad}replicas: {{ include "virt-operators.replicas" ${values} }}\n`,
  };
}

function variable(name: string, value: string): Edit {
  return {
    find: new RegExp(`^( *)- name: VIRT_OPERATOR_${name}\\n\\1  value: .*\\n`, "m"),
    put: (pad) => `${pad}- name: VIRT_OPERATOR_${name}\n${pad}  value: {{ ${value} | quote }}\n`,
  };
}

/** Throws if the Deployment no longer has the text that an edit replaces. */
export function withValues(text: string, area: Area): string {
  return [...place, ...own[area]].reduce((before, { find, put }) => {
    const [found = "", pad] = find.exec(before) ?? [];
    if (pad === undefined)
      throw new Error(`a Deployment of config/${area} has nothing like ${find.source}: correct tools/package/chart`);
    return before.replace(found, () => put(pad, found));
  }, text);
}

function entries(pad: string, name: string): string {
  return `${pad}{{- with .Values.${name} }}\n${pad}{{- toYaml . | nindent ${pad.length} }}\n${pad}{{- end }}\n`;
}

function block(pad: string, name: string): string {
  const lines = `${pad}${name}:\n${pad}  {{- toYaml . | nindent ${pad.length + 2} }}\n`;
  return `${pad}{{- with .Values.${name} }}\n${lines}${pad}{{- end }}\n`;
}
