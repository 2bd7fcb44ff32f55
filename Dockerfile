# A release names both images by digest, so that the same source gives the same image:
#   --build-arg BUILD_DIGEST=sha256:… --build-arg RUNTIME_DIGEST=sha256:…
# See docs/security.md.
ARG BUILD=node:24-slim
ARG BUILD_DIGEST
ARG RUNTIME=gcr.io/distroless/nodejs24-debian12:nonroot
ARG RUNTIME_DIGEST

FROM ${BUILD}${BUILD_DIGEST:+@${BUILD_DIGEST}} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY src ./src
RUN npm run build

FROM ${BUILD}${BUILD_DIGEST:+@${BUILD_DIGEST}} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

# No shell, no package manager: nothing runs here but node. Nothing is written, so the root may be read-only.
FROM ${RUNTIME}${RUNTIME_DIGEST:+@${RUNTIME_DIGEST}}
WORKDIR /app
ENV NODE_ENV=production
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY docs ./docs
COPY manifests ./manifests
USER 10001:10001
EXPOSE 8443 8080
# Node itself is process 1, so that SIGTERM reaches it.
ENTRYPOINT ["/nodejs/bin/node", "/app/dist/cli.js"]
CMD ["webhook"]
