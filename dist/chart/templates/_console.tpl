{{- /* Whether the console plugin is installed: as the value says, else where the cluster serves ConsolePlugins. It shows what the
       advisor does, so never without it. */ -}}
{{- define "virt-operators.hasConsole" -}}
{{- if not .Values.advisor.enabled -}}
false
{{- else if kindIs "invalid" (.Values.console).enabled -}}
{{- .Capabilities.APIVersions.Has "console.openshift.io/v1/ConsolePlugin" -}}
{{- else -}}
{{- .Values.console.enabled -}}
{{- end -}}
{{- end -}}
