// Prints the section of CHANGELOG.md for one version, for its release. Fails unless the tag matches the version in package.json,
// so that no release has files of another version.
//
//   node build/release-notes.mjs v1.2.3

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/**
 * The notes, or the reason why the tag cannot be released.
 * @type {(known: { tag: string, version: string, changelog: string }) => { kind: 'notes', text: string } | { kind: 'fault', message: string }}
 */
export function findReleaseNotes({ tag, version, changelog }) {
  if (tag !== `v${version}`)
    return { kind: 'fault', message: `The tag is ${tag}, but package.json has version ${version}: tag v${version}.` };
  const sections = changelog.replaceAll('\r\n', '\n').split(/^## /m).slice(1);
  const section = sections.find((each) => /^\[?([^\s\]]+)/.exec(each)?.[1] === version);
  const text = section?.slice(section.indexOf('\n') + 1).trim() ?? '';
  if (text === '')
    return {
      kind: 'fault',
      message: `CHANGELOG.md says nothing of ${version}: give its "Unreleased" section the heading "## ${version}".`,
    };
  return { kind: 'notes', text };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = new URL('../', import.meta.url);
  const { version } = /** @type {{ version: string }} */ (
    JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
  );
  const changelog = readFileSync(new URL('CHANGELOG.md', root), 'utf8');
  const found = findReleaseNotes({ tag: process.argv[2] ?? '', version, changelog });
  if (found.kind === 'fault') {
    console.error(found.message);
    process.exitCode = 1;
  } else console.log(found.text);
}
