{{- define "countersign.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* Short enough that what is appended to it stays within 63 characters. */}}
{{- define "countersign.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 45 | trimSuffix "-" -}}
{{- else if contains (include "countersign.name" .) .Release.Name -}}
{{- .Release.Name | trunc 45 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "countersign.name" .) | trunc 45 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What selects pods: it never changes in the life of a release. Given a dict with `root` and `component`. */}}
{{- define "countersign.selector" -}}
app.kubernetes.io/name: {{ include "countersign.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "countersign.labels" -}}
{{ include "countersign.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | quote }}
{{- end -}}

{{- define "countersign.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "countersign.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "countersign.fullname" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{/* A StatefulSet where each pod keeps its data, else a Deployment. */}}
{{- define "countersign.kind" -}}
{{- ternary "StatefulSet" "Deployment" .Values.persistence.enabled -}}
{{- end -}}

{{/* The host that clients call. */}}
{{- define "countersign.publicHost" -}}
{{- (urlParse .Values.publicUrl).host | splitList ":" | first -}}
{{- end -}}

{{- define "countersign.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "countersign.containerSecurity" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* The settings of the server, but for its addresses. Secrets are files. */}}
{{- define "countersign.env" -}}
- name: DATABASE_URL_FILE
  value: /run/secrets/countersign/database_url
- name: MASTER_KEY_FILE
  value: /run/secrets/countersign/master_key
{{- if .Values.masterKey.nextKey }}
- name: MASTER_KEY_NEXT_FILE
  value: /run/secrets/countersign/master_key_next
{{- end }}
- name: DATA_DIR
  value: /var/lib/countersign
- name: PUBLIC_URL
  value: {{ .Values.publicUrl | quote }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "countersign.mounts" -}}
- name: secrets
  mountPath: /run/secrets/countersign
  readOnly: true
- name: data
  mountPath: /var/lib/countersign
# The sockets by which its processes meet.
- name: tmp
  mountPath: /tmp
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Given a dict with `root`, and `databaseUrl`: that of those who serve, or of who migrates. */}}
{{- define "countersign.volumes" -}}
{{- $databaseUrl := .databaseUrl -}}
{{- with .root -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      - secret:
          name: {{ $databaseUrl.existingSecret }}
          items:
            - key: {{ $databaseUrl.key }}
              path: database_url
      - secret:
          name: {{ .Values.masterKey.existingSecret }}
          items:
            - key: {{ .Values.masterKey.key }}
              path: master_key
            {{- with .Values.masterKey.nextKey }}
            - key: {{ . }}
              path: master_key_next
            {{- end }}
- name: tmp
  emptyDir:
    medium: Memory
    sizeLimit: 16Mi
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Pods to begin with; none where an autoscaler decides, unless it was scaled to zero, where an autoscaler does nothing. */}}
{{- define "countersign.replicas" -}}
{{- if not .Values.autoscaling.enabled -}}
{{- .Values.replicaCount -}}
{{- else -}}
{{- $running := lookup "apps/v1" (include "countersign.kind" .) .Release.Namespace (include "countersign.fullname" .) -}}
{{- if or (not $running) (eq (int ($running.spec).replicas) 0) -}}
{{- .Values.autoscaling.minReplicas -}}
{{- end -}}
{{- end -}}
{{- end -}}
