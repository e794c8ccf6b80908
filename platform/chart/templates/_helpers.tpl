{{- define "clew.labels" -}}
app.kubernetes.io/name: clew
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "clew.selector" -}}
app.kubernetes.io/name: clew
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* What the workers and the web server share: who they are, their secrets by file, their home. */}}
{{- define "clew.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false  # a release called clew would set CLEW_… variables, which are refused
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
volumes:
  - name: home
    persistentVolumeClaim: {claimName: {{ .Release.Name }}-home}
  - name: secrets
    secret: {secretName: {{ .Values.secretName }}, defaultMode: 0440}
  - name: tmp
    emptyDir: {}
{{- end -}}

{{- define "clew.container" -}}
image: {{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
env:
  - {name: CLEW_HOME, value: /var/lib/clew}
  - {name: NEO4J_URI, value: {{ .Values.neo4j.uri | quote }}}
  - {name: CLEW_NEO4J_PASSWORD_FILE, value: /etc/clew/secrets/neo4j_password}
  - {name: CLEW_BROKER_URL_FILE, value: /etc/clew/secrets/broker_url}
  - {name: CLEW_ACCESS_TOKEN_FILE, value: /etc/clew/secrets/access_token}
  - {name: CLEW_WEB_HOST, value: 0.0.0.0}
  - {name: CLEW_WEB_PORT, value: {{ .Values.web.port | quote }}}
  {{- if .Values.web.ingress.enabled }}
  - {name: CLEW_TRUSTED_PROXIES, value: {{ .Values.web.ingress.trustedProxies | quote }}}
  {{- end }}
  - {name: CLEW_LOG_FORMAT, value: json}
  {{- range $name, $value := .Values.env }}
  - {name: {{ $name }}, value: {{ $value | quote }}}
  {{- end }}
volumeMounts:
  - {name: home, mountPath: /var/lib/clew}
  - {name: secrets, mountPath: /etc/clew/secrets, readOnly: true}
  - {name: tmp, mountPath: /tmp}
{{- end -}}
