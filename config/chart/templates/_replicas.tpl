{{- /* How many replicas a controller has: its own value, else that of both, else one on a single-node cluster and two on others.
       Without a cluster (helm template) lookup finds nothing, and the answer is two. */ -}}
{{- define "virt-operators.replicas" -}}
{{- if not (kindIs "invalid" .own) -}}
{{- .own -}}
{{- else if not (kindIs "invalid" .both) -}}
{{- .both -}}
{{- else -}}
{{- ternary 1 2 (eq (include "virt-operators.isSingleNode" .) "true") -}}
{{- end -}}
{{- end -}}

{{- define "virt-operators.isSingleNode" -}}
{{- $topology := "" -}}
{{- if .capabilities.APIVersions.Has "config.openshift.io/v1/Infrastructure" -}}
{{- $topology = dig "status" "controlPlaneTopology" "" (lookup "config.openshift.io/v1" "Infrastructure" "" "cluster") -}}
{{- end -}}
{{- $nodes := dig "items" list (lookup "v1" "Node" "" "") -}}
{{- or (eq $topology "SingleReplica") (eq (len $nodes) 1) -}}
{{- end -}}
