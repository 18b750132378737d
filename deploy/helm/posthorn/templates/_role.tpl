{{/* The Deployment of a role: `role` is api or worker, `values` its part of the values, `probes` the port that says how it is. */}}
{{- define "posthorn.role" -}}
{{- $root := .root }}
{{- $name := printf "%s-%s" (include "posthorn.fullname" $root) .role }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels:
    {{- include "posthorn.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  {{- if not .values.autoscaling.enabled }}
  replicas: {{ .values.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  # A new pod is ready before an old one goes.
  strategy: { type: RollingUpdate, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
  selector:
    matchLabels:
      {{- include "posthorn.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
  template:
    metadata:
      {{- with .values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      labels:
        {{- with .values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        {{- include "posthorn.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .role }}
    spec:
      serviceAccountName: {{ include "posthorn.serviceAccount" $root }}
      {{- include "posthorn.podSecurity" $root | nindent 6 }}
      terminationGracePeriodSeconds: {{ .values.terminationGracePeriodSeconds }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "posthorn.selector" $root | nindent 14 }}
              app.kubernetes.io/component: {{ .role }}
      {{- with .values.priorityClassName }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with .values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ .role }}
          image: {{ include "posthorn.image" $root | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [{{ .role }}]
          env:
            {{- include "posthorn.environment" (dict "root" $root "settings" .values.settings) | trim | nindent 12 }}
          ports:
            {{- if eq .role "api" }}
            - { name: api, containerPort: {{ $root.Values.ports.api }} }
            {{- end }}
            - { name: metrics, containerPort: {{ $root.Values.ports.metrics }} }
          # A pod waits for PostgreSQL, Temporal and the schema by itself: that is no reason to start it again.
          startupProbe:
            httpGet: { path: /healthz, port: {{ .probes }} }
            periodSeconds: 2
            timeoutSeconds: 5
            failureThreshold: 30
          livenessProbe:
            httpGet: { path: /healthz, port: {{ .probes }} }
            periodSeconds: 10
            timeoutSeconds: 5
            # A minute: a process under load answers late, and a restart would cost its tries under way.
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /readyz, port: {{ .probes }} }
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 2
          {{- if .values.preStopSleepSeconds }}
          lifecycle:
            preStop: { exec: { command: [sleep, {{ .values.preStopSleepSeconds | toString | quote }}] } }
          {{- end }}
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          {{- include "posthorn.containerSecurity" $root | nindent 10 }}
          volumeMounts:
            {{- include "posthorn.mounts" $root | nindent 12 }}
      volumes:
        {{- include "posthorn.volumes" $root | trim | nindent 8 }}
{{- end }}

{{/* Keeps all but one pod of a role while machines are emptied. */}}
{{- define "posthorn.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "posthorn.fullname" .root }}-{{ .role }}
  labels:
    {{- include "posthorn.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  maxUnavailable: {{ .values.disruptionBudget.maxUnavailable }}
  # A pod that waits for PostgreSQL must not hold a machine up.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "posthorn.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
{{- end }}

{{/* Pods come quickly and go slowly: a burst is over before its pods would have been of use otherwise. */}}
{{- define "posthorn.scalingBehavior" -}}
scaleUp:
  policies: [{ type: Percent, value: 100, periodSeconds: 60 }]
scaleDown:
  stabilizationWindowSeconds: 300
  policies: [{ type: Pods, value: 1, periodSeconds: 60 }]
{{- end }}

{{- define "posthorn.cpuAutoscaler" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "posthorn.fullname" .root }}-{{ .role }}
  labels:
    {{- include "posthorn.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ include "posthorn.fullname" .root }}-{{ .role }} }
  minReplicas: {{ .values.autoscaling.minReplicas }}
  maxReplicas: {{ .values.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ .values.autoscaling.targetCPUUtilizationPercentage }} }
  behavior:
    {{- include "posthorn.scalingBehavior" .root | nindent 4 }}
{{- end }}
