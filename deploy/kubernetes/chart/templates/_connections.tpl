{{- /* How a pod reaches Temporal and MongoDB, and the keys of payloads; of the root. */ -}}
{{- define "evolve.connectionEnv" -}}
- { name: TEMPORAL_ADDRESS, value: {{ .Values.temporal.address | quote }} }
- { name: TEMPORAL_NAMESPACE, value: {{ .Values.temporal.namespace | quote }} }
{{- if .Values.temporal.tls.enabled }}
- { name: TEMPORAL_TLS, value: "true" }
{{- with .Values.temporal.tls.serverName }}
- { name: TEMPORAL_TLS_SERVER_NAME, value: {{ . | quote }} }
{{- end }}
{{- if .Values.temporal.tls.secret }}
{{- if .Values.temporal.tls.serverAuthority }}
- { name: TEMPORAL_TLS_SERVER_CA_CERT_PATH, value: /etc/evolve/temporal/ca.crt }
{{- end }}
{{- if .Values.temporal.tls.clientCertificate }}
- { name: TEMPORAL_TLS_CLIENT_CERT_PATH, value: /etc/evolve/temporal/tls.crt }
- { name: TEMPORAL_TLS_CLIENT_KEY_PATH, value: /etc/evolve/temporal/tls.key }
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.temporal.apiKey }}
{{- if .secret }}
- name: TEMPORAL_API_KEY
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .key }} } }
{{- end }}
{{- end }}
- { name: MONGODB_URI_FILE, value: /etc/evolve/mongodb/uri }
{{- if .Values.payloadKeys.secret }}
- { name: EVOLVE_PAYLOAD_KEYS_FILE, value: /etc/evolve/payload/keys }
{{- end }}
{{- end -}}

{{- /* Where these secrets are in the pod. */ -}}
{{- define "evolve.connectionMounts" -}}
- { name: mongodb, mountPath: /etc/evolve/mongodb, readOnly: true }
{{- if .Values.mongodb.tlsSecret }}
- { name: mongodb-tls, mountPath: /etc/evolve/mongodb-tls, readOnly: true }
{{- end }}
{{- if and .Values.temporal.tls.enabled .Values.temporal.tls.secret }}
- { name: temporal, mountPath: /etc/evolve/temporal, readOnly: true }
{{- end }}
{{- if .Values.payloadKeys.secret }}
- { name: payload, mountPath: /etc/evolve/payload, readOnly: true }
{{- end }}
{{- end -}}

{{- /* From where they come. */ -}}
{{- define "evolve.connectionVolumes" -}}
- name: mongodb
  secret: { secretName: {{ .Values.mongodb.secret }}, items: [{ key: {{ .Values.mongodb.key }}, path: uri }], defaultMode: 0440 }
{{- if .Values.mongodb.tlsSecret }}
- name: mongodb-tls
  secret: { secretName: {{ .Values.mongodb.tlsSecret }}, defaultMode: 0440 }
{{- end }}
{{- if and .Values.temporal.tls.enabled .Values.temporal.tls.secret }}
- name: temporal
  secret: { secretName: {{ .Values.temporal.tls.secret }}, defaultMode: 0440 }
{{- end }}
{{- with .Values.payloadKeys }}
{{- if .secret }}
- name: payload
  secret: { secretName: {{ .secret }}, items: [{ key: {{ .key }}, path: keys }], defaultMode: 0440 }
{{- end }}
{{- end }}
{{- end -}}
