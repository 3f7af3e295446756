@echo off
rem Makes Attention Explorer the program for .attn files of this user. associate.cmd /remove takes it back.
rem It must lie beside "Attention Explorer.exe". Nothing outside HKEY_CURRENT_USER is touched.
setlocal
set "KEY=HKCU\Software\Classes"
set "PROGRAM=%~dp0Attention Explorer.exe"
if /i "%~1"=="/remove" goto remove
if not exist "%PROGRAM%" (
    echo "%PROGRAM%" is missing; associate.cmd must lie beside it.
    exit /b 1
)
reg add "%KEY%\.attn" /ve /d "AttentionExplorer.Experiment" /f >nul || goto failed
reg add "%KEY%\.attn" /v "Content Type" /d "application/x-attn" /f >nul || goto failed
reg add "%KEY%\AttentionExplorer.Experiment" /ve /d "Attention experiment" /f >nul || goto failed
reg add "%KEY%\AttentionExplorer.Experiment\DefaultIcon" /ve /d "\"%PROGRAM%\",0" /f >nul || goto failed
reg add "%KEY%\AttentionExplorer.Experiment\shell\open\command" /ve /d "\"%PROGRAM%\" \"%%1\"" /f >nul || goto failed
echo Files that end in .attn now open in Attention Explorer.
exit /b 0

:remove
reg delete "%KEY%\.attn" /f >nul 2>nul
reg delete "%KEY%\AttentionExplorer.Experiment" /f >nul 2>nul
echo Files that end in .attn no longer open in Attention Explorer.
exit /b 0

:failed
echo The registry could not be written.
exit /b 1
