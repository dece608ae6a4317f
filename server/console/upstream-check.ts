// Route of "Test connection": tries the upstream of a lane, or a new upstream before it is set.

import { z } from 'zod';

import type { UpstreamCheckRequest } from '../contract/lanes.ts';
import { invalidFields } from '../http/validation.ts';
import { laneOf } from './journal.ts';
import type { ConsoleParts } from './parts.ts';
import { assertNoQuery, readBody } from './request.ts';
import type { Routes } from './rights.ts';
import { readUpstreamRequest, upstreamRequest } from './upstream-request.ts';

const checkRequest = upstreamRequest.extend({
  laneId: z.int().positive(),
  url: upstreamRequest.shape.url.exactOptional(),
}) satisfies z.ZodType<UpstreamCheckRequest>;

export function bindUpstreamCheck(routes: Routes, { store, upstreams }: ConsoleParts): void {
  routes.forManagers.post('/api/upstream-check', async (req, res) => {
    assertNoQuery(req);
    const { laneId, url, ...given } = readBody(req, checkRequest);
    const lane = laneOf(store, laneId);
    const wanted = url ?? lane.upstream?.url;
    if (wanted === undefined) {
      throw invalidFields([
        { pointer: '/url', code: 'required', detail: 'url is required, because the lane has no upstream yet' },
      ]);
    }
    // The stored upstream is tested unchanged. Its address was already checked when it was stored.
    const isAsSet = url === undefined && given.token === undefined && lane.upstream !== null;
    const upstream = isAsSet ? lane.upstream : await readUpstreamRequest(lane, { url: wanted, ...given }, upstreams);
    res.json(await upstreams.check(upstream, lane.interface));
  });
}
