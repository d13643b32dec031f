; Inno Setup 6: makes dist\Earwitness-setup.exe from dist\earwitness (made by build.py on Windows).
;   iscc /DVersion=0.1.0 packaging\windows\earwitness.iss
; Installs for the present user only, so that no administrator is asked. Removing the program keeps
; the library and the models: they are the user's.

#ifndef Version
  #define Version "0.1.0"
#endif
#define Root "..\.."

[Setup]
AppId={{7D1B6C1E-5C0B-4B0E-9E0B-EA2F0F3B7C51}
AppName=Earwitness
AppVersion={#Version}
AppPublisher=The Earwitness authors
DefaultDirName={localappdata}\Programs\Earwitness
DefaultGroupName=Earwitness
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
MinVersion=10.0.17763
LicenseFile={#Root}\LICENSE
SetupIconFile={#Root}\resources\icons\earwitness.ico
UninstallDisplayIcon={app}\earwitness.exe
OutputDir={#Root}\dist
OutputBaseFilename=Earwitness-setup
Compression=lzma2
SolidCompression=yes
WizardStyle=modern
ChangesAssociations=yes
ChangesEnvironment=yes
CloseApplications=yes

[Files]
Source: "{#Root}\dist\earwitness\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[InstallDelete]
; Libraries of an earlier version would be loaded beside the new ones.
Type: filesandordirs; Name: "{app}\_internal"

[Icons]
Name: "{userprograms}\Earwitness"; Filename: "{app}\earwitness.exe"
Name: "{userdesktop}\Earwitness"; Filename: "{app}\earwitness.exe"; Tasks: desktopicon

[Tasks]
Name: desktopicon; Description: "{cm:CreateDesktopIcon}"; Flags: unchecked
Name: commandline; Description: "Make the command earwitness-cli available in terminals"; Flags: unchecked

[Registry]
; Offered under "Open with"; no file type is taken over.
Root: HKCU; Subkey: "Software\Classes\Applications\earwitness.exe"; ValueType: string; ValueName: "FriendlyAppName"; ValueData: "Earwitness"; Flags: uninsdeletekey
Root: HKCU; Subkey: "Software\Classes\Applications\earwitness.exe\shell\open\command"; ValueType: string; ValueData: """{app}\earwitness.exe"" ""%1"""
#define Kind(str Extension) "Root: HKCU; Subkey: ""Software\Classes\Applications\earwitness.exe\SupportedTypes""; ValueType: string; ValueName: """ + Extension + """; ValueData: """""
#emit Kind(".wav")
#emit Kind(".flac")
#emit Kind(".mp3")
#emit Kind(".m4a")
#emit Kind(".ogg")
#emit Kind(".opus")
#emit Kind(".mp4")
#emit Kind(".mkv")
#emit Kind(".webm")
#emit Kind(".vtt")
#emit Kind(".srt")
Root: HKCU; Subkey: "Environment"; ValueType: expandsz; ValueName: "Path"; ValueData: "{olddata};{app}"; Tasks: commandline; Check: IsPathMissing

[Run]
Filename: "{app}\earwitness.exe"; Description: "{cm:LaunchProgram,Earwitness}"; Flags: nowait postinstall skipifsilent

[Code]
function IsPathMissing(): Boolean;
var
  Path: String;
begin
  if not RegQueryStringValue(HKEY_CURRENT_USER, 'Environment', 'Path', Path) then
    Path := '';
  Result := Pos(';' + Lowercase(ExpandConstant('{app}')) + ';', ';' + Lowercase(Path) + ';') = 0;
end;

// What was added to the search path goes with the program; the rest of it is the user's.
procedure CurUninstallStepChanged(CurUninstallStep: TUninstallStep);
var
  Path: String;
begin
  if CurUninstallStep <> usPostUninstall then
    exit;
  if not RegQueryStringValue(HKEY_CURRENT_USER, 'Environment', 'Path', Path) then
    exit;
  Path := ';' + Path + ';';
  if StringChangeEx(Path, ';' + ExpandConstant('{app}') + ';', ';', True) > 0 then
    RegWriteExpandStringValue(HKEY_CURRENT_USER, 'Environment', 'Path', Copy(Path, 2, Length(Path) - 2));
end;
