; The packager includes this file in its installer for Windows.

; The uninstaller removes the app's firewall rule; an update keeps it. Without an administrator's rights netsh cannot remove
; the rule. It then stays, but allows only a program that no longer exists. Stored sales are never removed.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    nsExec::Exec `"$SYSDIR\netsh.exe" advfirewall firewall delete rule name=Counterfoil program="$INSTDIR\${APP_EXECUTABLE_FILENAME}"`
    Pop $0
  ${endIf}
!macroend
