#!/bin/sh
# Makes the certificates again: an authority that nothing trusts, and a server's certificate by it.
set -eu
cd "$(dirname "$0")"
key="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
openssl req -x509 $key -keyout authority.key -out authority.pem -days 36500 -subj "/CN=Waybill test authority"
openssl req $key -keyout server.key -out server.csr -subj "/CN=partner.example"
printf 'subjectAltName=DNS:partner.example,IP:127.0.0.1' > names
openssl x509 -req -in server.csr -CA authority.pem -CAkey authority.key -CAcreateserial -out server.pem -days 36500 -extfile names
rm -f authority.key authority.srl server.csr names
