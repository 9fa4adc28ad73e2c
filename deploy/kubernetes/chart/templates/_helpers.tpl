{{- define "evolve.name" -}}
{{- printf "%s-%s" .root.Release.Name .name -}}
{{- end -}}

{{- define "evolve.selector" -}}
app.kubernetes.io/name: durable-evolve
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "evolve.labels" -}}
{{ include "evolve.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
evolve/role: {{ .worker.role }}
{{- end -}}

{{- define "evolve.temporalPort" -}}
{{- regexFind "[0-9]+$" .Values.temporal.address -}}
{{- end -}}

{{- define "evolve.authentication" -}}
{{- $temporal := .root.Values.temporal -}}
{{- if or $temporal.apiKey.secret (and $temporal.tls.enabled $temporal.tls.secret) -}}
{{ .root.Release.Name }}-temporal
{{- end -}}
{{- end -}}

{{- /* Whether a worker runs its programs in pods of agent-sandbox: those of the role `evaluation` that have no engine. */ -}}
{{- define "evolve.inPods" -}}
{{- if and .root.Values.agentSandbox.enabled (eq .worker.role "evaluation") (not .worker.container) -}}yes{{- end -}}
{{- end -}}

{{- /* Whether a worker tells people of runs: the role `engine`, where a Secret says how. */ -}}
{{- define "evolve.notifies" -}}
{{- if and .root.Values.notify.secret (eq .worker.role "engine") -}}yes{{- end -}}
{{- end -}}

{{- /* What the schema cannot say, because it is about several values. */ -}}
{{- define "evolve.check" -}}
{{- if and .Values.temporal.apiKey.secret (not .Values.temporal.tls.enabled) -}}
{{- fail "temporal.apiKey: expected temporal.tls.enabled: true, got false: a key must not travel in plain text" -}}
{{- end -}}
{{- with .Values.agentSandbox -}}
{{- if .enabled -}}
{{- if not .image -}}
{{- fail "agentSandbox.image: expected the evaluator image, as `evolve up` makes it, in a registry, got none" -}}
{{- end -}}
{{- if or (not .namespace) (eq .namespace $.Release.Namespace) -}}
{{- fail (printf "agentSandbox.namespace: expected a namespace of its own, since the worker may run commands in all pods of it, got %q" .namespace) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $name, $worker := .Values.workers -}}
{{- if $worker -}}
{{- $evaluation := eq $worker.role "evaluation" -}}
{{- range $key := list "labels" "dedicated" "container" "gpus" -}}
{{- if and (hasKey $worker $key) (not $evaluation) -}}
{{- fail (printf "workers.%s.%s: expected with the role evaluation alone, got %s: remove it" $name $key $worker.role) -}}
{{- end -}}
{{- end -}}
{{- if and $worker.dedicated (not (or $worker.labels $worker.gpus)) -}}
{{- fail (printf "workers.%s.dedicated: expected together with labels or gpus, because the worker would get no work" $name) -}}
{{- end -}}
{{- if gt (len (printf "%s-%s" $.Release.Name $name)) 52 -}}
{{- fail (printf "workers.%s: expected at most 52 characters in the name of the release with it, got %s-%s: choose a shorter release name" $name $.Release.Name $name) -}}
{{- end -}}
{{- if and $worker.storage (gt (int ($worker.replicas | default 1)) 1) -}}
{{- fail (printf "workers.%s.replicas: expected 1 with storage, which one pod mounts, got %v" $name $worker.replicas) -}}
{{- end -}}
{{- with $worker.autoscaling -}}
{{- $tls := $.Values.temporal.tls -}}
{{- $client := and $tls.secret $tls.clientCertificate -}}
{{- if and $tls.enabled (not $client) (or (not $.Values.temporal.apiKey.secret) (and $tls.secret $tls.serverAuthority)) -}}
{{- fail (printf "workers.%s.autoscaling: expected temporal.tls with a certificate of the client, or temporal.apiKey with public authorities: otherwise KEDA speaks no TLS, or knows no private authority" $name) -}}
{{- end -}}
{{- if eq $worker.role "engine" -}}
{{- fail (printf "workers.%s.autoscaling: expected with the roles model and evaluation, got engine: remove it" $name) -}}
{{- end -}}
{{- if $worker.replicas -}}
{{- fail (printf "workers.%s: expected replicas or autoscaling, got both: remove replicas" $name) -}}
{{- end -}}
{{- if and (or $worker.labels $worker.gpus) (eq (int .min) 0) -}}
{{- fail (printf "workers.%s.autoscaling.min: expected 1 or more with labels or gpus, got 0: a run puts nothing on a queue that no host serves" $name) -}}
{{- end -}}
{{- if gt (int .min) (int .max) -}}
{{- fail (printf "workers.%s.autoscaling: expected min up to max, got %v and %v" $name .min .max) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
