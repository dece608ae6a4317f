@echo off
rem The gateway's command line, on the Node beside it.
"%~dp0node.exe" --max-semi-space-size=8 --max-old-space-size=1024 "%~dp0dist\node\main.mjs" %*
