; Included into the packager's installer for Windows.

; The firewall rule that the app may have made goes with it, not with an update. Without an administrator's rights netsh refuses,
; and the rule stays: it allows only a program that no longer exists. Stored sales are never removed.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    nsExec::Exec `"$SYSDIR\netsh.exe" advfirewall firewall delete rule name=Counterfoil program="$INSTDIR\${APP_EXECUTABLE_FILENAME}"`
    Pop $0
  ${endIf}
!macroend
