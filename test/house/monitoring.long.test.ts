// The alert rules and the dashboard of docs/monitoring use only what a gateway really measures, and each alert fires.

import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';

import { makeCertificate } from '../support/certificate.ts';
import { bodyOf, call, postBody } from '../support/http-call.ts';
import { openTestGateway } from '../support/open-gateway.ts';
import { temporaryFolder } from '../support/temp-store.ts';

const FOLDER = join(import.meta.dirname, '../../docs/monitoring');
const RULES = join(FOLDER, 'alerts.yml');
const rules = readFileSync(RULES, 'utf8');
const dashboard = JSON.parse(readFileSync(join(FOLDER, 'dashboard.json'), 'utf8')) as {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
};

const HAS_PROMTOOL = spawnSync('promtool', ['--version']).status === 0;
const NOT_RUN = 'not run: promtool is not installed (Debian’s package prometheus has it)';

/** A gateway with one call of each kind, so that each metric with labels has a value. */
const gateway = await openTestGateway({}, makeCertificate());
afterAll(() => gateway.close());
for (const object of ['{}', '{}', '{"a":1}'])
  await postBody(gateway.apiUrl, gateway.production.secret, bodyOf({ external_id: 'a', object }));
await postBody(gateway.apiUrl, 'prod_unknown', bodyOf());
const { text: scrape } = await call(`${gateway.localConsoleUrl}/metrics`);

/** The labels of each metric that the gateway really has. */
const measured = new Map<string, Set<string>>();
for (const [, name = '', labels = ''] of scrape.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
  const known = measured.get(name) ?? new Set();
  for (const [, label = ''] of labels.matchAll(/([a-z_]+)="/g)) known.add(label);
  measured.set(name, known);
}

/** The labels that Prometheus itself adds. */
const ADDED = new Set(['job', 'instance']);

/** The metrics in an expression, each with the labels that the expression compares. */
function listUses(expr: string): { readonly name: string; readonly labels: readonly string[] }[] {
  return [...expr.matchAll(/\b((?:counterfoil|process|nodejs)_[a-z_]+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', inside = '']) => ({
      name,
      labels: [...inside.matchAll(/([a-z_]+)\s*=~?/g)]
        .map(([, label = '']) => label)
        .filter((label) => !ADDED.has(label)),
    }),
  );
}

const alerts = [...rules.matchAll(/^ +- alert: (\w+)\n +expr: (.+)$/gm)].map(([, name = '', expr = '']) => ({
  name,
  expr,
}));
const expressions = [
  ...alerts.map(({ name, expr }) => [name, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

test('the scrape is the real one', () => {
  expect(measured.size).toBeGreaterThan(40);
  expect(measured.get('counterfoil_days')).toEqual(new Set(['administration', 'mode', 'verdict']));
  expect(alerts).toHaveLength(rules.split('- alert:').length - 1);
});

test('docs/monitoring.md lists exactly the alerts, with their levels', () => {
  const page = readFileSync(join(FOLDER, '../monitoring.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `(\w+)` \| (critical|warning) \|/gm)].map(([, name, level]) => [name, level]);
  const levels = [...rules.matchAll(/severity: (\w+)/g)].map(([, level]) => level);
  expect(listed).toEqual(alerts.map(({ name }, i) => [name, levels[i]]));
});

test.each(expressions)('%s uses only metrics and labels of a real scrape: %s', (_, expr) => {
  const uses = listUses(expr);
  expect(expr === 'up{job="counterfoil"} == 0' ? 1 : uses.length).toBeGreaterThan(0);
  for (const { name, labels } of uses) {
    expect([...measured.keys()]).toContain(name);
    for (const label of labels)
      expect([name, [...(measured.get(name) ?? [])]]).toEqual([name, expect.arrayContaining([label])]);
  }
});

test('Prometheus can read the scrape', ({ skip }) => {
  if (!HAS_PROMTOOL) return skip(NOT_RUN);
  const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: scrape, encoding: 'utf8' });
  // 3: readable, but promtool would choose other names, also for the metrics of Node's library
  expect([0, 3], stderr).toContain(status);
});

/** The series of a gateway without trouble. */
const WELL: Readonly<Record<string, string>> = {
  'up{job="counterfoil"}': '1',
  counterfoil_store_taking: '1',
  'counterfoil_tasks{kind="records_damaged"}': '0',
  counterfoil_disk_free_bytes: '50e9',
  counterfoil_disk_bytes: '100e9',
  counterfoil_disk_days_left: '400',
  counterfoil_clock_wrong: '0',
  counterfoil_clock_offset_seconds: '0',
  'counterfoil_lane_up{mode="production"}': '1',
  'counterfoil_lane_upstream{mode="production"}': '1',
  'counterfoil_oldest_waiting_seconds{mode="production"}': '2',
  'counterfoil_deliveries{mode="production",state="held"}': '0',
  'counterfoil_days_differing{mode="production"}': '0',
  'counterfoil_silent_tills{mode="production"}': '0',
  'counterfoil_tasks{kind="backup_old"}': '0',
  counterfoil_tls_certificate_expires_at_seconds: '8640000', // a hundred days after the time 0 of promtool
  counterfoil_alerts_failed: '0',
  'counterfoil_store_sync_seconds_bucket{le="0.25"}': '0+100x600',
  'counterfoil_store_sync_seconds_bucket{le="1"}': '0+100x600',
  'counterfoil_store_sync_seconds_bucket{le="+Inf"}': '0+100x600',
};

/** For each alert: the series that make it fire. */
const TROUBLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  CounterfoilDown: { 'up{job="counterfoil"}': '0' },
  CounterfoilStoreRefuses: { counterfoil_store_taking: '0' },
  CounterfoilDataDamaged: { 'counterfoil_tasks{kind="records_damaged"}': '1' },
  CounterfoilArchiveUnreadable: { 'counterfoil_tasks{kind="archive_failed"}': '1' },
  CounterfoilDiskFullSoon: { counterfoil_disk_days_left: '2' },
  CounterfoilDiskLow: { counterfoil_disk_free_bytes: '9e9' },
  CounterfoilDiskSlow: { 'counterfoil_store_sync_seconds_bucket{le="0.25"}': '0+50x600' },
  CounterfoilClockWrong: { counterfoil_clock_offset_seconds: '-90' },
  CounterfoilForwardingStopped: { 'counterfoil_lane_up{mode="production"}': '0' },
  CounterfoilSaleWaits: { 'counterfoil_oldest_waiting_seconds{mode="production"}': '4000' },
  CounterfoilSalesHeld: { 'counterfoil_deliveries{mode="production",state="held"}': '3' },
  CounterfoilDayDiffers: { 'counterfoil_days_differing{mode="production"}': '1' },
  CounterfoilTillSilent: { 'counterfoil_silent_tills{mode="production"}': '1' },
  CounterfoilBackupOld: { 'counterfoil_tasks{kind="backup_old"}': '1' },
  CounterfoilCertificateExpires: { counterfoil_tls_certificate_expires_at_seconds: '604800' },
  CounterfoilAlertsFail: { counterfoil_alerts_failed: '0+1x600' },
};

test('each alert has a trouble that makes it fire', () => {
  expect(Object.keys(TROUBLE).toSorted()).toEqual(alerts.map(({ name }) => name).toSorted());
});

/** Runs the rules on series of two days. Returns the names of the alerts that fire at its end. */
async function listFiring(changed: Readonly<Record<string, string>>): Promise<string[]> {
  const file = join(temporaryFolder(), 'test.json');
  const series = { ...WELL, ...changed };
  const input_series = Object.entries(series).map(([name, values]) => ({
    series: name,
    values: /^\d+\+/.test(values) ? values : `${values}+0x600`,
  }));
  const alert_rule_test = alerts.map(({ name }) => ({ eval_time: '2d', alertname: name, exp_alerts: [] }));
  // JSON is YAML. A test that expects no alert fails with the name of each alert that fires.
  writeFileSync(
    file,
    JSON.stringify({
      rule_files: [RULES],
      evaluation_interval: '5m',
      tests: [{ interval: '5m', input_series, alert_rule_test }],
    }),
  );
  const printed = await new Promise<string>((resolve) => {
    execFile('promtool', ['test', 'rules', file], (_error, stdout, stderr) => resolve(stdout + stderr));
  });
  const firing = [...printed.matchAll(/alertname: ?(\w+)/g)].map(([, name = '']) => name);
  if (firing.length === 0) expect(printed).toContain('SUCCESS');
  return firing;
}

describe('at a gateway', () => {
  test('without trouble, no alert fires', async ({ skip }) => {
    if (!HAS_PROMTOOL) return skip(NOT_RUN);
    expect(await listFiring({})).toEqual([]);
  });

  test('without an upstream and with waiting sales, no alert about forwarding fires', async ({ skip }) => {
    if (!HAS_PROMTOOL) return skip(NOT_RUN);
    const alone = {
      'counterfoil_lane_up{mode="production"}': '0',
      'counterfoil_lane_upstream{mode="production"}': '0',
      'counterfoil_oldest_waiting_seconds{mode="production"}': '90000',
    };
    expect(await listFiring(alone)).toEqual([]);
  });

  test.for(Object.entries(TROUBLE))('with its trouble, %s fires alone', async ([name, series], { skip }) => {
    if (!HAS_PROMTOOL) return skip(NOT_RUN);
    const firing = await listFiring(series);
    const more = name === 'CounterfoilDiskFullSoon' ? ['CounterfoilDiskLow'] : [];
    expect(firing.toSorted()).toEqual([name, ...more].toSorted());
  });
});
