# Both images should be named with their digest: --build-arg RUNTIME=gcr.io/distroless/nodejs24-debian12:nonroot@sha256:…
ARG BUILD=node:24-slim
ARG RUNTIME=gcr.io/distroless/nodejs24-debian12:nonroot

FROM ${BUILD} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY src ./src
RUN npm run build

FROM ${BUILD} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --ignore-scripts

FROM ${RUNTIME}
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
