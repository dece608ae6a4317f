
# The service's user and unit. Whoever wants the service enables it; one that runs goes on with the new version.
if type systemd-sysusers >/dev/null 2>&1; then
    systemd-sysusers counterfoil.conf
fi
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    systemctl try-restart counterfoil.service
fi
