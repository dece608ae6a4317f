# The gateway without the desktop app, for a machine that runs containers. docs/deploy.md says how to use it.

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
# Without the install scripts, because they download Electron and a second Node.
RUN npm ci --ignore-scripts
RUN node build/run.mjs build

FROM node:24-bookworm-slim
# The number is fixed, so that the owner of a mounted data directory stays the same after an update.
RUN useradd --system --uid 7410 --user-group --home-dir /var/lib/counterfoil counterfoil \
  && install -d -o counterfoil -g counterfoil -m 700 /var/lib/counterfoil \
  && install -d /usr/lib/counterfoil \
  && ln -s /usr/local/bin/node /usr/lib/counterfoil/node
COPY --from=build /src/dist/node /usr/lib/counterfoil/dist/node
COPY --from=build /src/dist/renderer /usr/lib/counterfoil/dist/renderer
COPY --from=build /src/node_modules/better-sqlite3 /usr/lib/counterfoil/node_modules/better-sqlite3
COPY --chmod=755 build/linux/counterfoil /usr/bin/counterfoil
COPY build/linux/health-check.mjs /usr/lib/counterfoil/health-check.mjs

ENV COUNTERFOIL_DATA=/var/lib/counterfoil
VOLUME /var/lib/counterfoil
USER counterfoil
HEALTHCHECK --interval=30s --timeout=10s --start-period=2m CMD ["node", "/usr/lib/counterfoil/health-check.mjs"]
ENTRYPOINT ["/usr/bin/counterfoil"]
CMD ["serve"]
