{{- define "posthorn.fullname" -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "posthorn.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "posthorn.labels" -}}
{{ include "posthorn.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end }}

{{- define "posthorn.serviceAccount" -}}
{{- if .Values.serviceAccount.name }}{{ .Values.serviceAccount.name }}
{{- else if .Values.serviceAccount.create }}{{ include "posthorn.fullname" . }}
{{- else }}default
{{- end }}
{{- end }}

{{- define "posthorn.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* The Secret of one value; `place` is its entry of `secrets`. */}}
{{- define "posthorn.secretName" -}}
{{ .place.name | default (required "existingSecret must name the Secret with DATABASE_URL and ENCRYPTION_KEYS" .root.Values.existingSecret) }}
{{- end }}

{{/* Variables of a role. `settings` are its own, over those of all roles. A number is written without an exponent. */}}
{{- define "posthorn.environment" -}}
{{- $root := .root }}
{{- $settings := mergeOverwrite (deepCopy $root.Values.settings) (.settings | default dict) }}
{{- if not $settings.TEMPORAL_ADDRESS }}{{ fail "settings.TEMPORAL_ADDRESS must be host:port of your Temporal server" }}{{ end }}
{{- range $name := list "DATABASE_URL" "ENCRYPTION_KEYS" }}
{{- if not (get $root.Values.secrets $name) }}{{ fail (printf "secrets.%s must say where it stands: no role runs without it" $name) }}{{ end }}
{{- end }}
- { name: PORT, value: {{ $root.Values.ports.api | toString | quote }} }
- { name: METRICS_PORT, value: {{ $root.Values.ports.metrics | toString | quote }} }
{{- range $name, $value := $settings }}
{{- if ne (toString $value) "" }}
- { name: {{ $name }}, value: {{ (kindIs "float64" $value | ternary (int64 (kindIs "float64" $value | ternary $value 0.0)) $value) | toString | quote }} }
{{- end }}
{{- end }}
{{- range $name, $place := $root.Values.secrets }}
{{- if $place }}
{{- if eq $root.Values.secretsAs "files" }}
- { name: {{ $name }}_FILE, value: /run/secrets/posthorn/{{ $name }} }
{{- else }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ include "posthorn.secretName" (dict "root" $root "place" $place) }}, key: {{ $place.key | quote }} } }
{{- end }}
{{- end }}
{{- end }}
{{- with $root.Values.temporalTls }}
{{- if .existingSecret }}
{{- if .ca }}
- { name: TEMPORAL_TLS_CA_FILE, value: /run/secrets/temporal/ca.crt }
{{- end }}
{{- if .certificate }}
- { name: TEMPORAL_TLS_CERT_FILE, value: /run/secrets/temporal/tls.crt }
- { name: TEMPORAL_TLS_KEY_FILE, value: /run/secrets/temporal/tls.key }
{{- end }}
{{- end }}
{{- end }}
{{- with $root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "posthorn.mounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if eq .Values.secretsAs "files" }}
- { name: secrets, mountPath: /run/secrets/posthorn, readOnly: true }
{{- end }}
{{- if .Values.temporalTls.existingSecret }}
- { name: temporal-tls, mountPath: /run/secrets/temporal, readOnly: true }
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "posthorn.volumes" -}}
{{- $root := . }}
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
{{- if eq .Values.secretsAs "files" }}
- name: secrets
  projected:
    # 0440 as a decimal, which every reader of YAML takes alike: for the group of the pod, which is fsGroup.
    defaultMode: 288
    sources:
      {{- range $name, $place := .Values.secrets }}
      {{- if $place }}
      - secret: { name: {{ include "posthorn.secretName" (dict "root" $root "place" $place) }}, items: [{ key: {{ $place.key | quote }}, path: {{ $name }} }] }
      {{- end }}
      {{- end }}
{{- end }}
{{- with .Values.temporalTls }}
{{- if .existingSecret }}
- name: temporal-tls
  secret:
    secretName: {{ .existingSecret }}
    defaultMode: 288
    items:
      {{- if .ca }}
      - { key: {{ .ca | quote }}, path: ca.crt }
      {{- end }}
      {{- if .certificate }}
      - { key: {{ .certificate | quote }}, path: tls.crt }
      - { key: {{ .key | quote }}, path: tls.key }
      {{- end }}
{{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Rules of every pod. The numbers are the image's user: Kubernetes checks that it is not root. */}}
{{- define "posthorn.podSecurity" -}}
automountServiceAccountToken: false
# A Service called posthorn would set POSTHORN_PORT and the like, which look like misspelt settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "posthorn.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}
