// The settings for the packager: electron-builder.json, plus the settings that depend on the target, the certificates and the
// address of updates. Pure: the environment and the checkout's Git remote are arguments.

/** @typedef {{ platform: 'linux' | 'win32' | 'darwin', arch: string }} Target */
/** @typedef {{ provider: 'generic', url: string } | { provider: 'github', owner: string, repo: string }} UpdateAddress */
/** @typedef {Readonly<Record<string, string | undefined>>} Env */
/** @typedef {{ mac: object, win: object, linux: { target: string[] }, deb: object, extraMetadata: object }} Settings */

/**
 * The variables for signing. None of them may be empty: on macOS, for example, the packager would take an empty CSC_LINK as a
 * path and fail.
 */
export const SIGNING_VARIABLES = [
  'CSC_LINK',
  'CSC_KEY_PASSWORD',
  'CSC_NAME',
  'WIN_CSC_LINK',
  'WIN_CSC_KEY_PASSWORD',
  'APPLE_ID',
  'APPLE_APP_SPECIFIC_PASSWORD',
  'APPLE_TEAM_ID',
];

/**
 * Removes empty signing variables. A workflow sets a variable to an empty text if its secret does not exist.
 * @param {Env} env
 */
export function dropEmptySecrets(env) {
  return Object.fromEntries(
    Object.entries(env).filter(([name, value]) => value !== '' || !SIGNING_VARIABLES.includes(name)),
  );
}

/**
 * The address of updates for the packaged app. Null if none is configured; then the app has no updater.
 * @type {(known: { env: Env, repository?: string, remote?: string }) => UpdateAddress | null}
 */
export function findUpdateAddress({ env, repository, remote }) {
  const own = env['COUNTERFOIL_UPDATES_URL'] ?? '';
  if (own !== '') {
    if (!URL.canParse(own) || new URL(own).protocol !== 'https:')
      throw new Error(`COUNTERFOIL_UPDATES_URL is ${own}; give an address that begins with https://.`);
    return { provider: 'generic', url: own };
  }
  const [, owner, repo] = /github\.com[/:]([\w.-]+)\/([\w.-]+?)(?:\.git)?\s*$/.exec(repository ?? remote ?? '') ?? [];
  return owner === undefined || repo === undefined ? null : { provider: 'github', owner, repo };
}

/**
 * The settings for one target.
 * @type {(settings: Settings, known: { target: Target, address: UpdateAddress | null, homepage: string | undefined, version: string, hasDpkg: boolean, env: Env }) => Settings & { publish: object | null, extraMetadata: { homepage: string } }}
 */
export function makeSettings(settings, { target, address, homepage, version, hasDpkg, env }) {
  const { mac, win, linux, deb, extraMetadata } = settings;
  return {
    ...settings,
    publish: address === null ? null : { ...address, ...channelOf(target) },
    // The packager requires this field for a .deb. An empty text means no homepage.
    extraMetadata: { ...extraMetadata, homepage: homepage ?? homepageOf(address) },
    mac: { ...mac, ...signMac(env) },
    win: { ...win, forceCodeSigning: isSet(env, 'WIN_CSC_LINK') || isSet(env, 'CSC_LINK') },
    // The desktop's .deb depends on the service's .deb. Without dpkg-deb, the service's .deb cannot be made, so neither is
    // made.
    linux: { ...linux, target: linux.target.filter((name) => name !== 'deb' || hasDpkg) },
    deb: { ...deb, fpm: ['-d', `counterfoil-service (= ${debVersion(version)})`] },
  };
}

/**
 * Writes a version so that Debian sorts it correctly: 1.0.0~beta.1 comes before 1.0.0.
 * @param {string} version
 */
export function debVersion(version) {
  return version.replaceAll('-', '~');
}

/**
 * Without a certificate a Mac app is signed ad hoc, because Apple Silicon starts no app without a signature. With a
 * certificate, the build fails if it cannot sign.
 * @param {Env} env
 */
function signMac(env) {
  return isSet(env, 'CSC_LINK') || isSet(env, 'CSC_NAME')
    ? { forceCodeSigning: true }
    : { identity: '-', notarize: false };
}

/**
 * Names the file that lists the newest version. A Windows build for a processor other than x64 gets its own file, because two
 * builds would otherwise overwrite each other's file.
 * @param {Target} target
 */
function channelOf({ platform, arch }) {
  return platform === 'win32' && arch !== 'x64' ? { channel: `latest-${arch}` } : {};
}

/** @type {(address: UpdateAddress | null) => string} */
function homepageOf(address) {
  return address?.provider === 'github' ? `https://github.com/${address.owner}/${address.repo}` : '';
}

/** @type {(env: Env, name: string) => boolean} */
function isSet(env, name) {
  return (env[name] ?? '') !== '';
}
