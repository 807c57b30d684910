FROM oven/bun:1.4.5
WORKDIR /waybill
COPY package.json bun.lock bunfig.toml ./
RUN bun install --frozen-lockfile --production
COPY . .
# A new volume takes its owner from here.
RUN mkdir -m 700 /var/lib/waybill && chown bun:bun /var/lib/waybill
USER bun
CMD ["bun", "src/main.ts"]
