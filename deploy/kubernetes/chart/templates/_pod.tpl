{{- /* The pod of a worker: one process that drains on SIGTERM, as nobody in particular, on a file system that it may not write. */ -}}
{{- define "evolve.pod" -}}
{{- $worker := .worker -}}
{{- $values := .root.Values -}}
{{- $grace := $worker.grace | default 30 | int -}}
metadata:
  labels: {{- include "evolve.labels" . | nindent 4 }}
  {{- with $worker.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  # The worker ends what has not finished 10 s after its grace.
  terminationGracePeriodSeconds: {{ add $grace 30 }}
  {{- if $worker.serviceAccountName }}
  serviceAccountName: {{ $worker.serviceAccountName }}
  {{- else if include "evolve.inPods" . }}
  serviceAccountName: {{ .root.Release.Name }}-candidates
  {{- else }}
  automountServiceAccountToken: false
  {{- end }}
  enableServiceLinks: false
  {{- with $values.image.pullSecrets }}
  imagePullSecrets: {{- range . }}
    - name: {{ . }}
  {{- end }}
  {{- end }}
  {{- range $key := list "runtimeClassName" }}
  {{- with index $worker $key }}
  {{ $key }}: {{ . }}
  {{- end }}
  {{- end }}
  {{- range $key := list "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" }}
  {{- with index $worker $key }}
  {{ $key }}: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: {{ $values.securityContext.user }}
    runAsGroup: {{ $values.securityContext.user }}
    fsGroup: {{ $values.securityContext.user }}
    fsGroupChangePolicy: OnRootMismatch
    {{- with $worker.supplementalGroups }}
    supplementalGroups: {{- toYaml . | nindent 6 }}
    {{- end }}
    seccompProfile: { type: RuntimeDefault }
  containers:
    - name: worker
      image: {{ printf "%s:%s" $values.image.repository ($values.image.tag | default .root.Chart.AppVersion) | quote }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      args:
        - worker
        - {{ $worker.role }}
        - --grace={{ $grace }}
        {{- with $worker.slots }}
        - --slots={{ . }}
        {{- end }}
        {{- with $worker.labels }}
        - --labels={{ join "," . }}
        {{- end }}
        {{- with $worker.gpus }}
        - --gpus={{ . }}
        {{- end }}
        {{- if $worker.dedicated }}
        - --dedicated
        {{- end }}
        {{- with $worker.offlineModel }}
        - --offline-model={{ . }}
        {{- end }}
      env:
        - { name: EVOLVE_HOME, value: /var/lib/evolve/home }
        - { name: EVOLVE_PARTS, value: /var/lib/evolve/parts }
        - { name: EVOLVE_RUNS, value: /var/lib/evolve/runs }
        - { name: EVOLVE_METRICS, value: "0.0.0.0:{{ $values.metrics.port }}" }
        - { name: EVOLVE_LOG, value: json }
        {{- include "evolve.connectionEnv" .root | nindent 8 }}
        {{- if and $values.modelKeys.secret (eq $worker.role "model") }}
        - { name: EVOLVE_KEYS_FILE, value: /etc/evolve/model/keys.json }
        {{- end }}
        {{- if and $values.secretsKey.secret (eq $worker.role "model") }}
        - name: EVOLVE_SECRETS_KEY
          valueFrom: { secretKeyRef: { name: {{ $values.secretsKey.secret }}, key: {{ $values.secretsKey.key }} } }
        {{- end }}
        {{- if include "evolve.notifies" . }}
        - { name: EVOLVE_NOTIFY_FILE, value: /etc/evolve/notify/notify.json }
        {{- end }}
        {{- if and $values.trackers (eq $worker.role "engine") }}
        - { name: EVOLVE_TRACKERS_FILE, value: /etc/evolve/trackers/trackers.json }
        {{- end }}
        {{- if include "evolve.inPods" . }}
        - { name: EVOLVE_SANDBOX, value: agent-sandbox }
        - { name: EVOLVE_K8S_POOL, value: {{ .root.Release.Name }}-candidates }
        - { name: EVOLVE_K8S_NAMESPACE, value: {{ $values.agentSandbox.namespace }} }
        {{- end }}
        {{- with $worker.container }}
        {{- with .dockerHost }}
        - { name: DOCKER_HOST, value: {{ . | quote }} }
        {{- end }}
        {{- if .tlsSecret }}
        - { name: DOCKER_TLS_VERIFY, value: "1" }
        - { name: DOCKER_CERT_PATH, value: /etc/evolve/engine }
        {{- end }}
        {{- with .image }}
        - { name: EVOLVE_IMAGE, value: {{ . | quote }} }
        {{- end }}
        {{- end }}
        {{- with $worker.env }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - { name: metrics, containerPort: {{ $values.metrics.port }} }
      # The first start makes the bundle of the workflows, or the image in which programs run.
      startupProbe: { httpGet: { path: /healthz, port: metrics }, periodSeconds: 5, failureThreshold: 180 }
      readinessProbe: { httpGet: { path: /healthz, port: metrics }, periodSeconds: 10, timeoutSeconds: 5 }
      livenessProbe: { httpGet: { path: /healthz, port: metrics }, periodSeconds: 20, timeoutSeconds: 10, failureThreshold: 6 }
      {{- with $worker.resources }}
      resources: {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        - { name: data, mountPath: /var/lib/evolve }
        - { name: tmp, mountPath: /tmp }
        {{- include "evolve.connectionMounts" .root | nindent 8 }}
        {{- if and $values.modelKeys.secret (eq $worker.role "model") }}
        - { name: model, mountPath: /etc/evolve/model, readOnly: true }
        {{- end }}
        {{- if include "evolve.notifies" . }}
        - { name: notify, mountPath: /etc/evolve/notify, readOnly: true }
        {{- end }}
        {{- if and $values.trackers (eq $worker.role "engine") }}
        - { name: trackers, mountPath: /etc/evolve/trackers, readOnly: true }
        {{- end }}
        {{- if and $worker.container $worker.container.tlsSecret }}
        - { name: engine-tls, mountPath: /etc/evolve/engine, readOnly: true }
        {{- end }}
        {{- if and $worker.container $worker.container.socket }}
        - { name: engine, mountPath: /var/run/docker.sock }
        {{- end }}
        {{- with $worker.volumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: data
      {{- if $worker.storage }}
      persistentVolumeClaim: { claimName: {{ include "evolve.name" . }} }
      {{- else }}
      emptyDir: {}
      {{- end }}
    - { name: tmp, emptyDir: {} }
    {{- include "evolve.connectionVolumes" .root | nindent 4 }}
    {{- if and $values.modelKeys.secret (eq $worker.role "model") }}
    - name: model
      secret: { secretName: {{ $values.modelKeys.secret }}, items: [{ key: {{ $values.modelKeys.key }}, path: keys.json }], defaultMode: 0440 }
    {{- end }}
    {{- if include "evolve.notifies" . }}
    - name: notify
      secret: { secretName: {{ $values.notify.secret }}, items: [{ key: {{ $values.notify.key }}, path: notify.json }], defaultMode: 0440 }
    {{- end }}
    {{- if and $values.trackers (eq $worker.role "engine") }}
    - { name: trackers, configMap: { name: {{ .root.Release.Name }}-trackers } }
    {{- end }}
    {{- if and $worker.container $worker.container.tlsSecret }}
    - name: engine-tls
      secret: { secretName: {{ $worker.container.tlsSecret }}, defaultMode: 0440 }
    {{- end }}
    {{- if and $worker.container $worker.container.socket }}
    # Whoever has the socket of an engine has its node: only on nodes that do nothing else.
    - name: engine
      hostPath: { path: {{ $worker.container.socket }}, type: Socket }
    {{- end }}
    {{- with $worker.volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
