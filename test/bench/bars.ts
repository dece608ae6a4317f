/**
 * Checks measurements against the product's performance targets. Where possible, a target is a ratio of two measurements in one
 * run. Pure: takes measurements and returns one line per target. A target without a measurement counts as "not run". No test
 * asserts the targets.
 */
import type { Measured } from './comparison.ts';
import type { Footprint } from './footprint.ts';
import type { ComparedQueries, SizesReport } from './store-size.ts';
import { bareExpressName, expressWithSqliteName, gatewayBeforeName, gatewayName, leanExpressName } from './subjects.ts';

export type Bar = { text: string; measured: string; verdict: 'met' | 'not met' | 'not run' };

const connections = 64;

/** Checks every performance target. An argument is undefined if that benchmark was not run. */
export function judge(
  rows: Measured[] | undefined,
  memory: Footprint | undefined,
  bySize: SizesReport | undefined,
  beside: ComparedQueries | undefined,
): Bar[] {
  const summaryOf = (name: string) =>
    findClean(rows?.find((row) => row.name === name && row.connections === connections)?.summary);
  const gateway = summaryOf(gatewayName);
  const express = summaryOf(bareExpressName);
  const largest = bySize?.sizes.at(-1);
  const queries = largest?.queries;
  const deepest = largestOf(queries?.deepPage.ms, queries?.lastPage.ms);
  const slowestStart = largestOf(
    memory?.firstStartMs,
    memory?.emptyStartMs,
    ...(bySize?.sizes ?? []).map((size) => size.startMs),
  );
  const resident = [
    memory?.restMb,
    memory?.loadMb,
    bySize?.loadMb,
    ...(bySize?.sizes ?? []).map((size) => size.restMb),
  ];
  const at = largest === undefined ? 'the largest size' : `${largest.records / 1e6} million records`;

  return [
    atLeast(1, '× bare Express, intake at 64 connections', ratio(gateway?.perSecond, express?.perSecond)),
    atLeast(
      0.95,
      '× the other checkout (--before), intake at 64 connections',
      ratio(gateway?.perSecond, summaryOf(gatewayBeforeName)?.perSecond),
    ),
    atLeast(
      8,
      '× one SQLite transaction per request, intake at 64 connections',
      ratio(gateway?.perSecond, summaryOf(expressWithSqliteName)?.perSecond),
    ),
    atMost(3, '× bare Express, p99 at 64 connections', ratio(gateway?.p99, express?.p99)),
    atMost(
      3,
      `× the count over one day, count over 32 days at ${at}`,
      ratio(queries?.countMonth.ms, queries?.countDay.ms),
    ),
    atMost(5, `ms, each count at ${at}`, largestOf(queries?.countDay.ms, queries?.countMonth.ms)),
    atMost(
      1.03,
      '× the other checkout (--before), slowest query',
      largestOf(...(beside?.queries ?? []).map((query) => query.ratio)),
    ),
    atMost(1.3, `× the first page, a deep page at ${at}`, ratio(deepest, queries?.firstPage.ms)),
    atLeast(
      0.8,
      `× an empty store, intake at ${at}`,
      ratio(findClean(bySize?.largest.summary)?.perSecond, findClean(bySize?.empty.summary)?.perSecond),
    ),
    atMost(1000, 'ms from start to ready, slowest of all sizes', slowestStart),
    atMost(200, 'MB resident, maximum at rest or under load', largestOf(...resident)),
    atLeast(
      1,
      '× bare Express without ETag (stricter than required), intake at 64 connections',
      ratio(gateway?.perSecond, summaryOf(leanExpressName)?.perSecond),
    ),
  ];
}

export function atLeast(limit: number, text: string, value: number | undefined): Bar {
  return compare(`≥ ${limit} ${text}`, value, (measured) => measured >= limit);
}

export function atMost(limit: number, text: string, value: number | undefined): Bar {
  return compare(`≤ ${limit} ${text}`, value, (measured) => measured <= limit);
}

function compare(text: string, value: number | undefined, isMet: (measured: number) => boolean): Bar {
  if (value === undefined || !Number.isFinite(value)) return { text, measured: '–', verdict: 'not run' };
  return {
    text,
    measured: value < 100 ? value.toFixed(2) : value.toFixed(0),
    verdict: isMet(value) ? 'met' : 'not met',
  };
}

/**
 * Returns the measurement, or undefined if an answer was wrong or missing. Without correct answers, the measured speed means
 * nothing.
 */
export function findClean<Measured extends { errors: Record<string, number> }>(
  summary: Measured | undefined,
): Measured | undefined {
  return summary !== undefined && Object.keys(summary.errors).length === 0 ? summary : undefined;
}

export function ratio(value: number | undefined, base: number | undefined): number | undefined {
  return value === undefined || base === undefined ? undefined : value / base;
}

export function largestOf(...values: (number | null | undefined)[]): number | undefined {
  const known = values.filter((value) => typeof value === 'number');
  return known.length === 0 ? undefined : Math.max(...known);
}
