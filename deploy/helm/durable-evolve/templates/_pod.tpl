{{- /* The pod of a worker: one process that drains on SIGTERM, as nobody in particular, on a file system that it may not write. */ -}}
{{- define "evolve.pod" -}}
{{- $worker := .worker -}}
{{- $values := .root.Values -}}
{{- $grace := $worker.grace | default 30 | int -}}
{{- $tls := $values.temporal.tls -}}
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
        - { name: TEMPORAL_ADDRESS, value: {{ $values.temporal.address | quote }} }
        - { name: TEMPORAL_NAMESPACE, value: {{ $values.temporal.namespace | quote }} }
        {{- if $tls.enabled }}
        - { name: TEMPORAL_TLS, value: "true" }
        {{- with $tls.serverName }}
        - { name: TEMPORAL_TLS_SERVER_NAME, value: {{ . | quote }} }
        {{- end }}
        {{- if $tls.secret }}
        {{- if $tls.serverAuthority }}
        - { name: TEMPORAL_TLS_SERVER_CA_CERT_PATH, value: /etc/evolve/temporal/ca.crt }
        {{- end }}
        {{- if $tls.clientCertificate }}
        - { name: TEMPORAL_TLS_CLIENT_CERT_PATH, value: /etc/evolve/temporal/tls.crt }
        - { name: TEMPORAL_TLS_CLIENT_KEY_PATH, value: /etc/evolve/temporal/tls.key }
        {{- end }}
        {{- end }}
        {{- end }}
        {{- with $values.temporal.apiKey }}
        {{- if .secret }}
        - name: TEMPORAL_API_KEY
          valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .key }} } }
        {{- end }}
        {{- end }}
        - { name: MONGODB_URI_FILE, value: /etc/evolve/mongodb/uri }
        {{- if $values.payloadKeys.secret }}
        - { name: EVOLVE_PAYLOAD_KEYS_FILE, value: /etc/evolve/payload/keys }
        {{- end }}
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
        - { name: mongodb, mountPath: /etc/evolve/mongodb, readOnly: true }
        {{- if $values.mongodb.tlsSecret }}
        - { name: mongodb-tls, mountPath: /etc/evolve/mongodb-tls, readOnly: true }
        {{- end }}
        {{- if and $tls.enabled $tls.secret }}
        - { name: temporal, mountPath: /etc/evolve/temporal, readOnly: true }
        {{- end }}
        {{- if $values.payloadKeys.secret }}
        - { name: payload, mountPath: /etc/evolve/payload, readOnly: true }
        {{- end }}
        {{- if and $values.modelKeys.secret (eq $worker.role "model") }}
        - { name: model, mountPath: /etc/evolve/model, readOnly: true }
        {{- end }}
        {{- if include "evolve.notifies" . }}
        - { name: notify, mountPath: /etc/evolve/notify, readOnly: true }
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
    - name: mongodb
      secret: { secretName: {{ $values.mongodb.secret }}, items: [{ key: {{ $values.mongodb.key }}, path: uri }], defaultMode: 0440 }
    {{- if $values.mongodb.tlsSecret }}
    - name: mongodb-tls
      secret: { secretName: {{ $values.mongodb.tlsSecret }}, defaultMode: 0440 }
    {{- end }}
    {{- if and $tls.enabled $tls.secret }}
    - name: temporal
      secret: { secretName: {{ $tls.secret }}, defaultMode: 0440 }
    {{- end }}
    {{- with $values.payloadKeys }}
    {{- if .secret }}
    - name: payload
      secret: { secretName: {{ .secret }}, items: [{ key: {{ .key }}, path: keys }], defaultMode: 0440 }
    {{- end }}
    {{- end }}
    {{- if and $values.modelKeys.secret (eq $worker.role "model") }}
    - name: model
      secret: { secretName: {{ $values.modelKeys.secret }}, items: [{ key: {{ $values.modelKeys.key }}, path: keys.json }], defaultMode: 0440 }
    {{- end }}
    {{- if include "evolve.notifies" . }}
    - name: notify
      secret: { secretName: {{ $values.notify.secret }}, items: [{ key: {{ $values.notify.key }}, path: notify.json }], defaultMode: 0440 }
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
