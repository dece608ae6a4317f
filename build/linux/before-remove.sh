#!/bin/sh
# An update keeps the service running until the new version is there.
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
    systemctl disable --now counterfoil.service
fi
