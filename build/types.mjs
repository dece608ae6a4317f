// `npm run types`: checks the types of every folder that has a tsconfig.json, two folders at a time. The files in
// test-results/types/ tell which sources have changed since the last check; only these are checked again. Plain JavaScript,
// because an older Node must be able to parse it.

import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const AT_ONCE = 2;

const projects = globSync(['tsconfig.json', '{electron,renderer,test}/**/tsconfig.json'], { cwd: root });
const results = await Promise.all(Array.from({ length: AT_ONCE }, checkNext));
process.exitCode = results.some((isFaulty) => isFaulty) ? 1 : 0;

/** Checks one project after the other until none is left. Resolves to true if any of them has a fault. */
async function checkNext() {
  let isFaulty = false;
  for (let project = projects.shift(); project !== undefined; project = projects.shift())
    isFaulty = !(await check(project)) || isFaulty;
  return isFaulty;
}

/**
 * @param {string} project
 * @returns {Promise<boolean>}
 */
function check(project) {
  const memory = join(root, 'test-results/types', `${dirname(project).replaceAll(/[.\\/]+/g, '-')}.tsbuildinfo`);
  const args = [
    '-p',
    project,
    '--incremental',
    '--tsBuildInfoFile',
    memory,
    '--pretty',
    String(process.stdout.isTTY === true),
  ];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const child = spawn(process.execPath, [tsc, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  // collected and printed at the end, so that the outputs of two folders do not mix
  child.stdout.setEncoding('utf8').on('data', (part) => (said += part));
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => {
      process.stdout.write(said);
      resolve(code === 0);
    });
  });
}
