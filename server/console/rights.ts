// Whom a route of the console's API is for. A subject gets no other way to add one, so a route without a right cannot be written.

import type { Express, IRouter, RequestHandler } from 'express';

import { assertManager } from './parts.ts';

type Methods = Pick<IRouter, 'get' | 'post' | 'put' | 'patch' | 'delete'>;

export interface Routes {
  /** Clerks and managers: looking, the work of a store day, and what is about one's own access. */
  readonly forClerks: Methods;
  readonly forManagers: Methods;
}

export function openRoutes(app: Express): Routes {
  const guarded =
    (method: keyof Methods) =>
    (path: string, ...handlers: RequestHandler[]) =>
      app[method](path, onlyManagers, ...handlers);
  const forManagers = {
    get: guarded('get'),
    post: guarded('post'),
    put: guarded('put'),
    patch: guarded('patch'),
    delete: guarded('delete'),
  };
  return { forClerks: app, forManagers: forManagers as Methods };
}

const onlyManagers: RequestHandler = (_req, res, next) => {
  assertManager(res);
  next();
};
