// Puts the chart's values into the text of a Deployment.

import type { Area } from "./switches.ts";

/** The first group of `find` is the indentation. */
type Edit = { readonly find: RegExp; readonly put: (pad: string, found: string) => string };

const pod: readonly Edit[] = [
  { find: /^( *)replicas: .*\n/m, put: (pad) => `${pad}replicas: {{ .Values.replicas }}\n` },
  { find: /^( *)image: .*\n/m, put: (pad) => `${pad}image: {{ .Values.image | quote }}\n` },
  { find: /^( *)imagePullPolicy: .*\n/m, put: (pad) => `${pad}imagePullPolicy: {{ .Values.pullPolicy }}\n` },
  {
    find: /^( *)resources:\n(?:\1 .*\n)+/m,
    put: (pad) => `${pad}resources:\n${pad}  {{- toYaml .Values.resources | nindent ${pad.length + 2} }}\n`,
  },
  {
    find: /^( *)tolerations:\n(?:\1[- ] .*\n)+/m,
    put: (pad) => `${block(pad, "nodeSelector")}${block(pad, "tolerations")}`,
  },
  {
    find: /^( *)- --metrics-bind-address=.*\n\1- --metrics-cert-path=.*\n/m,
    put: (pad, found) => `${pad}{{- if .Values.metrics.enabled }}\n${found}${pad}{{- end }}\n`,
  },
];

const flags: Readonly<Record<Area, readonly Edit[]>> = {
  advisor: [
    {
      find: /^( *)- --controllers=advisor\n/m,
      put: (pad) =>
        [
          `${pad}- --controllers=advisor\n`,
          `${pad}{{- if not .Values.advisor.advertiseProfiles }}\n${pad}- --advertise-profiles=false\n${pad}{{- end }}\n`,
          `${pad}{{- if .Values.advisor.requireApprovedPlan }}\n${pad}- --require-approved-plan\n${pad}{{- end }}\n`,
        ].join(""),
    },
  ],
  platform: [
    { find: /^( *)- --activation=.*\n/m, put: (pad) => `${pad}- --activation={{ .Values.platform.activation }}\n` },
  ],
  shared: [],
};

/** Throws where the Deployment no longer has what a value stands for. */
export function withValues(text: string, area: Area): string {
  return [...pod, ...flags[area]].reduce((before, { find, put }) => {
    const [found = "", pad] = find.exec(before) ?? [];
    if (pad === undefined)
      throw new Error(`a Deployment of config/${area} has nothing like ${find.source}: correct tools/package/chart`);
    return before.replace(found, () => put(pad, found));
  }, text);
}

function block(pad: string, name: string): string {
  const lines = `${pad}${name}:\n${pad}  {{- toYaml . | nindent ${pad.length + 2} }}\n`;
  return `${pad}{{- with .Values.${name} }}\n${lines}${pad}{{- end }}\n`;
}
