FROM oven/bun:1.4.5
WORKDIR /waybill
COPY package.json bun.lock bunfig.toml ./
RUN bun install --frozen-lockfile --production
COPY . .
USER bun
CMD ["bun", "src/main.ts"]
