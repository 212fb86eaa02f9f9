# The binary, and the certificates that HTTPS needs. Servers that are started by a command need an image of their own.
FROM --platform=$BUILDPLATFORM alpine:3.22 AS certificates
RUN apk add --no-cache ca-certificates

FROM scratch
ARG TARGETPLATFORM
COPY --from=certificates /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY $TARGETPLATFORM/mcpctl /usr/bin/
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/usr/bin/mcpctl"]
