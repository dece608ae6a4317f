// Downloads Electron and unpacks it, because its npm package does both only at the first use. Shows progress from the start,
// aborts a stalled download, and respects proxies and mirrors. Unpacks only a file with Electron's checksum. Plain
// JavaScript, because an older Node must be able to parse it.

import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { ELECTRON_PACKAGE, electronVersion, findElectron } from './find-electron.mjs';

/** Maximum bytes of the download; no build of Electron is larger. */
const MAX_BYTES = 500e6;
/** Time-out: the download is aborted if the server sends nothing for this time. */
const STALL_MS = 20_000;

/** The causes of a failed download in words, by the code of the error. */
const CAUSES = /** @type {Record<string, string | undefined>} */ ({
  ENOTFOUND: 'Electron’s server was not found',
  EAI_AGAIN: 'Electron’s server was not found',
  ENETUNREACH: 'there is no network',
  EHOSTUNREACH: 'Electron’s server cannot be reached',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection broke off',
  UND_ERR_SOCKET: 'the connection broke off',
  ETIMEDOUT: 'Electron’s server did not answer',
  UND_ERR_CONNECT_TIMEOUT: 'Electron’s server did not answer',
});
const CHECK_CONNECTION =
  'check the connection and any HTTPS_PROXY or ELECTRON_MIRROR, or set COUNTERFOIL_HEADLESS=1, and start again';
const CHECK_DISK = 'check the disk, and start again';

/** A failure with the cause in words and, where known, what to do. */
class DownloadError extends Error {
  /**
   * @param {string} cause
   * @param {string} [advice]
   */
  constructor(cause, advice = CHECK_CONNECTION) {
    super(cause);
    this.advice = advice;
  }
}

/**
 * Puts Electron into the folder of its npm package. A copy in Electron's cache saves the download. Safe to repeat after any
 * failure.
 * @param {object} [options]
 * @param {string} [options.folder] Electron's package
 * @param {AbortSignal} [options.stop] aborts the installation; an incomplete installation never counts as installed
 * @param {{ isTTY?: boolean, write: (text: string) => unknown }} [options.output] for the progress
 * @returns {Promise<string | undefined>} why there is no Electron and what to do; undefined on success
 */
export async function getElectron({ folder = ELECTRON_PACKAGE, stop, output } = {}) {
  const version = electronVersion(folder) ?? '';
  const progress = openProgress(output ?? process.stderr, `Downloading Electron ${version} …`);
  try {
    await download(folder, version, { stop, onProgress: progress.update });
    progress.close();
    // Another `npm start` may have unpacked Electron during the download, and may already be running it.
    if (findElectron(folder, {}).kind !== 'found') await unpack(folder, stop);
    return undefined;
  } catch (error) {
    progress.close();
    const { cause, advice } = explain(error);
    return `Electron could not be installed: ${cause}; ${advice}`;
  }
}

/**
 * Downloads Electron into the cache. Electron's own installer then finds the file there.
 * @param {string} folder
 * @param {string} version
 * @param {{ stop: AbortSignal | undefined, onProgress: OnProgress }} options
 */
async function download(folder, version, { stop, onProgress }) {
  const { downloadArtifact } = await import('@electron/get');
  const checksums = readFileSync(join(folder, 'checksums.json'), 'utf8');
  await downloadArtifact({
    version,
    artifactName: 'electron',
    platform: process.platform,
    arch: targetArch(),
    checksums: /** @type {Record<string, string>} */ (JSON.parse(checksums)),
    ...(process.env.electron_config_cache && { cacheRoot: process.env.electron_config_cache }), // the installer's cache
    downloader: { download: (url, file) => fetchTo(file, url, { stop, onProgress }) },
  });
}

/**
 * @param {string} file
 * @param {string} url
 * @param {{ stop: AbortSignal | undefined, onProgress: OnProgress }} options
 */
async function fetchTo(file, url, { stop, onProgress }) {
  if (process.env.npm_config_offline === 'true')
    throw new DownloadError('npm is set to offline', 'start again without `--offline`');
  const { EnvHttpProxyAgent, fetch } = await import('undici');
  const dispatcher = new EnvHttpProxyAgent({ ...readProxies(), allowH2: false });
  const { host } = new URL(url);
  const stall = new AbortController();
  const timer = setTimeout(() => {
    stall.abort(new DownloadError(`nothing arrived from ${host} for ${STALL_MS / 1000} s`));
  }, STALL_MS);
  onProgress(0, undefined);
  try {
    const signal = AbortSignal.any([stall.signal, ...(stop === undefined ? [] : [stop])]);
    const { ok, status, body, headers } = await fetch(url, { signal, dispatcher });
    if (!ok || body === null)
      throw new DownloadError(`${host} answered ${status}`, 'check ELECTRON_MIRROR if it is set, or start again later');
    const total = Number(headers.get('content-length')) || undefined;
    await writeFile(file, watched(body));
    async function* watched(/** @type {AsyncIterable<Uint8Array>} */ chunks) {
      let received = 0;
      for await (const chunk of chunks) {
        timer.refresh();
        received += chunk.length;
        if (received > MAX_BYTES)
          throw new DownloadError(`${host} sends more than Electron has`, 'check ELECTRON_MIRROR');
        onProgress(received, total);
        yield chunk;
      }
    }
  } finally {
    clearTimeout(timer);
    await dispatcher.destroy();
  }
}

/**
 * Reads the proxies from the environment variables or, if those are not set, from npm's configuration. An empty text means no
 * proxy.
 */
function readProxies() {
  const { env } = process;
  const proxies = {
    httpProxy: env.http_proxy || env.HTTP_PROXY || env.npm_config_proxy || '',
    httpsProxy: env.https_proxy || env.HTTPS_PROXY || env.npm_config_https_proxy || '',
  };
  for (const proxy of Object.values(proxies)) {
    if (proxy !== '' && !/^https?:$/.test(URL.parse(proxy)?.protocol ?? ''))
      throw new DownloadError(
        'the proxy has no valid address',
        'set HTTPS_PROXY to one such as http://proxy.example:3128',
      );
  }
  return { ...proxies, noProxy: env.no_proxy || env.NO_PROXY || env.npm_config_noproxy || '' };
}

/**
 * The architecture that Electron's installer would choose. On a Mac with an Apple processor, an x64 Node under Rosetta gets
 * arm64.
 */
function targetArch() {
  const { ELECTRON_INSTALL_ARCH, npm_config_arch } = process.env;
  const arch = ELECTRON_INSTALL_ARCH || npm_config_arch || process.arch;
  if (process.platform !== 'darwin' || arch !== 'x64' || npm_config_arch !== undefined) return arch;
  try {
    const isTranslated = execFileSync('sysctl', ['-in', 'sysctl.proc_translated'], { encoding: 'utf8' }).trim();
    return isTranslated === '1' ? 'arm64' : arch;
  } catch {
    return arch; // a Mac without Rosetta does not know this setting
  }
}

/**
 * Runs Electron's own installer, which finds the download in the cache and verifies it again.
 * @param {string} folder
 * @param {AbortSignal | undefined} signal
 */
async function unpack(folder, signal) {
  // The installer writes path.txt last. Without this file, a half-extracted folder does not count as installed.
  rmSync(join(folder, 'path.txt'), { force: true });
  const env = {
    ...process.env,
    ELECTRON_INSTALL_PLATFORM: process.platform,
    ELECTRON_INSTALL_ARCH: targetArch(),
    // These two variables are removed. With them, the installer would use checksums from the mirror, not those in its package.
    electron_use_remote_checksums: undefined,
    npm_config_electron_use_remote_checksums: undefined,
  };
  const child = spawn(process.execPath, [join(folder, 'install.js')], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  });
  /** @type {Promise<string>} */
  const ended = new Promise((resolve, reject) => {
    child.once('exit', (code, killedBy) => resolve(killedBy ?? `exit code ${code}`)).once('error', reject);
  });
  const [end, printed] = await Promise.all([ended, text(child.stderr)]);
  if (end === 'exit code 0') return;
  throw new DownloadError(`unpacking failed (${/^\w*Error: (.+)$/m.exec(printed)?.[1] ?? end})`, CHECK_DISK);
}

/**
 * @param {unknown} error
 * @returns {{ cause: string, advice: string }}
 */
function explain(error) {
  if (error instanceof DownloadError) return { cause: error.message, advice: error.advice };
  const { code = '', message, path, cause } = /** @type {NodeJS.ErrnoException} */ (error);
  if (code === 'ERR_INVALID_URL')
    return { cause: 'ELECTRON_MIRROR is not a valid address', advice: 'correct it or unset it, and start again' };
  const said = message.replaceAll(/\/\/[^\s/@]*@/g, '//…@'); // hides the password in a mirror's address
  const known = CAUSES[code];
  if (known !== undefined) return { cause: known, advice: CHECK_CONNECTION };
  if (cause !== undefined) return explain(cause);
  if (code === 'ENOSPC' || path !== undefined) return { cause: said, advice: CHECK_DISK };
  if (/CERT|VERIFY/.test(code))
    return { cause: said, advice: 'set NODE_EXTRA_CA_CERTS to the certificate of your network, and start again' };
  if (error instanceof Error && 'filename' in error)
    // Only errors of the checksum library have a `filename`. The library exports no class for its errors.
    return { cause: 'the file does not have Electron’s checksum', advice: 'check ELECTRON_MIRROR, or start again' };
  return { cause: said, advice: CHECK_CONNECTION };
}

/** @typedef {(received: number, total: number | undefined) => void} OnProgress bytes */

/**
 * Shows the progress. On a terminal, one line is overwritten. Any other output gets the first line, and then one line per
 * quarter of the download.
 * @param {{ isTTY?: boolean, write: (text: string) => unknown }} output
 * @param {string} title
 */
function openProgress(output, title) {
  let last = '';
  let quarters = 0;
  return {
    /** @type {OnProgress} */
    update(received, total) {
      const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(1);
      const share = total === undefined ? 0 : received / total;
      const percent = total === undefined ? '' : ` ${Math.floor(share * 100)} %,`;
      const of = total === undefined ? '' : ` of ${megabytes(total)}`;
      const line = received === 0 ? title : `${title}${percent} ${megabytes(received)}${of} MB`;
      if (output.isTTY) {
        if (line !== last) output.write(`\r${line}\u001B[K`);
        last = line;
      } else if (received === 0 || Math.floor(share * 4) > quarters) {
        quarters = Math.floor(share * 4);
        output.write(`${line}\n`);
      }
    },
    /** Ends the line on a terminal. A second call does nothing. */
    close() {
      if (output.isTTY && last !== '') output.write('\n');
      last = '';
    },
  };
}
