#!/bin/sh
# Sign dist/Earwitness.app (made by build.py on a Mac) and put it into a disk image.
#   SIGN_AS="Developer ID Application: ..." NOTARY_PROFILE=name packaging/macos/make-dmg.sh
# Without SIGN_AS the app is signed ad hoc: it runs on this Mac, others have to allow it by hand.
set -eu
cd "$(dirname "$0")/../.."
app=dist/Earwitness.app
[ -d "$app" ] || { echo "make-dmg: run python3 packaging/build.py first" >&2; exit 1; }
codesign --force --deep --options runtime ${SIGN_AS:+--timestamp} \
    --entitlements packaging/macos/entitlements.plist --sign "${SIGN_AS:--}" "$app"
codesign --verify --deep --strict "$app"
image=dist/Earwitness.dmg
rm -f "$image"
hdiutil create -volname Earwitness -srcfolder "$app" -format UDZO "$image"
if [ -n "${SIGN_AS:-}" ] && [ -n "${NOTARY_PROFILE:-}" ]; then
    codesign --timestamp --sign "$SIGN_AS" "$image"
    xcrun notarytool submit "$image" --keychain-profile "$NOTARY_PROFILE" --wait
    xcrun stapler staple "$image"
fi
echo "made $image"
