# One image for the roles api, worker, migrate, keys and the rest of `posthorn`. `start` is for machines without containers.
# Debian, not Alpine: Temporal's native library needs glibc. Node is the newest LTS, and the release that the tests run on.
FROM node:26.10.0-bookworm-slim AS node

# The packages that run: a layer that changes only when the lock file does.
FROM node AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY dashboard/package.json dashboard/
# No scripts: the one of this package builds, and none of the others is needed.
RUN npm ci --omit=dev --ignore-scripts
COPY deploy/image/prune.js deploy/image/
RUN node deploy/image/prune.js

# Everything else is built beside it: the Prisma client, JavaScript, and the bundle of the Temporal workflows.
FROM node AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY dashboard/package.json dashboard/
RUN npm ci --ignore-scripts
COPY . .
RUN npm run prepare

FROM node
# PID 1 passes signals on and buries the dead, and the service is an ordinary process.
# Debian keeps one version at a time: a pinned one would be gone with the next mend.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
# The second one: glibc keeps freed memory in two heaps, not in eight for each core.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/package.json ./
COPY --from=build /app/prisma ./prisma
COPY --from=build /app/dist ./dist
# The user `node` of the base, by number: Kubernetes checks that it is not root.
USER 1000:1000
EXPOSE 3000
ENTRYPOINT ["tini", "--", "node", "dist/src/main.js"]
CMD ["api"]
