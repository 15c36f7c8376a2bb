{{- define "lightbox.name" -}}
{{- if contains "lightbox" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-lightbox" (.Release.Name | trunc 31 | trimSuffix "-") }}{{ end }}
{{- end }}

{{/* The labels of a component: (dict "root" $ "component" "gateway"). */}}
{{- define "lightbox.selector" -}}
app.kubernetes.io/name: lightbox
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "lightbox.labels" -}}
{{ include "lightbox.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/part-of: lightbox
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* The image of a process: (dict "root" $ "name" "gateway"). */}}
{{- define "lightbox.image" -}}
{{- with .root.Values.image }}{{ if .registry }}{{ trimSuffix "/" .registry }}/{{ end }}lightbox-{{ $.name }}:{{ .tag | default $.root.Chart.AppVersion }}{{ end }}
{{- end }}

{{/* What the pods of every process have in common: (dict "root" $ "component" … "user" 1000). */}}
{{- define "lightbox.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
serviceAccountName: {{ include "lightbox.name" .root }}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .user }}
  runAsGroup: {{ .group | default .user }}
  fsGroup: {{ .group | default .user }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "lightbox.selector" . | nindent 8 }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.pods }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{/* Labels and annotations of a pod. */}}
{{- define "lightbox.podMeta" -}}
labels:
  {{- include "lightbox.labels" . | nindent 2 }}
  {{- with .root.Values.pods.labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .root.Values.pods.annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "lightbox.hardened" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* The CA that processes trust besides the public ones: that of the chart's own servers, or ca.existingSecret. */}}
{{- define "lightbox.caSecret" -}}
{{- if or .Values.mongodb.internal .Values.valkey.internal }}{{ include "lightbox.serversSecret" . }}{{ else }}{{ .Values.ca.existingSecret }}{{ end }}
{{- end }}

{{- define "lightbox.serversSecret" -}}
{{ .Values.servers.existingSecret | default (printf "%s-servers" (include "lightbox.name" .)) }}
{{- end }}

{{- define "lightbox.mongoHost" -}}
{{ $name := include "lightbox.name" . }}{{ printf "%s-mongodb-0.%s-mongodb.%s.svc:27017" $name $name .Release.Namespace }}
{{- end }}

{{- define "lightbox.valkeyHost" -}}
{{ printf "%s-valkey.%s.svc" (include "lightbox.name" .) .Release.Namespace }}
{{- end }}

{{- define "lightbox.secretEnv" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef: { name: {{ .root.Values.existingSecret }}, key: {{ .name }}{{ if .optional }}, optional: true{{ end }} }
{{- end }}

{{/* The environment of gateways, workers and commands. */}}
{{- define "lightbox.env" -}}
- { name: NODE_ENV, value: production }
- { name: PUBLIC_URL, value: {{ .Values.publicUrl | quote }} }
- { name: TRUST_PROXY, value: {{ .Values.settings.TRUST_PROXY | default (ternary "2" "1" .Values.web.enabled) | quote }} }
- { name: OPS_HOST, value: 0.0.0.0 }
- { name: OPS_PORT, value: "9090" }
{{- range $name, $value := omit .Values.settings "TRUST_PROXY" }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- if include "lightbox.caSecret" . }}
- { name: NODE_EXTRA_CA_CERTS, value: /run/lightbox/ca/ca.pem }
{{- end }}
{{- range list "APP_KEYS" "ENCRYPTION_KEYS" "SMTP_URL" }}
{{ include "lightbox.secretEnv" (dict "root" $ "name" .) }}
{{- end }}
{{- if .Values.mongodb.internal }}
{{ include "lightbox.secretEnv" (dict "root" $ "name" "MONGO_PASSWORD") }}
- name: MONGODB_URI
  value: mongodb://lightbox:$(MONGO_PASSWORD)@{{ include "lightbox.mongoHost" . }}/lightbox?replicaSet=rs0&authSource=lightbox&tls=true
{{- else }}
{{ include "lightbox.secretEnv" (dict "root" $ "name" "MONGODB_URI") }}
{{- end }}
{{- if .Values.valkey.internal }}
{{ include "lightbox.secretEnv" (dict "root" $ "name" "REDIS_PASSWORD") }}
- name: REDIS_URL
  value: rediss://lightbox:$(REDIS_PASSWORD)@{{ include "lightbox.valkeyHost" . }}:6379
{{- else }}
{{ include "lightbox.secretEnv" (dict "root" $ "name" "REDIS_URL") }}
{{- end }}
{{- range list "AUDIT_KEYS" "VAPID_KEY" "ADMIN_EMAIL" "ADMIN_PASSWORD" "AI_API_KEY" "OIDC_PROVIDERS" "S3_ACCESS_KEY_ID" "S3_SECRET_ACCESS_KEY" "OTEL_EXPORTER_OTLP_HEADERS" }}
{{ include "lightbox.secretEnv" (dict "root" $ "name" . "optional" true) }}
{{- end }}
{{- end }}

{{- define "lightbox.mounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if include "lightbox.caSecret" . }}
- { name: ca, mountPath: /run/lightbox/ca, readOnly: true }
{{- end }}
{{- end }}

{{- define "lightbox.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 1Gi }
{{- with include "lightbox.caSecret" . }}
- name: ca
  secret:
    secretName: {{ . }}
    items: [{ key: ca.pem, path: ca.pem }]
{{- end }}
{{- end }}

{{/* The probes of gateways and workers. A process that waits for a server lives, and is not ready. */}}
{{- define "lightbox.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: ops }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: ops }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: ops }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 3
{{- end }}

{{- define "lightbox.disruption" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "lightbox.name" .root }}-{{ .component }}
  labels:
    {{- include "lightbox.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "lightbox.selector" . | nindent 6 }}
{{- end }}

{{/* The component that the ingress reaches. */}}
{{- define "lightbox.front" -}}
{{ ternary "web" "gateway" .Values.web.enabled }}
{{- end }}

{{- define "lightbox.host" -}}
{{ (urlParse .Values.publicUrl).host }}
{{- end }}
