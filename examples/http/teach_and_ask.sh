#!/bin/sh
# Teach and ask a deciban server with curl. Usage: DECIBAN_URL=http://127.0.0.1:8420 DECIBAN_KEY=… teach_and_ask.sh
set -eu
space="$DECIBAN_URL/v1/spaces/mail"

post() {  # path, content type, body: prints the answer; fails with the problem's sentence
    answer=$(curl --silent --show-error --write-out '\n%{http_code}' -H "Authorization: Bearer $DECIBAN_KEY" \
        -H "Content-Type: $2" --data-binary "$3" "$space/$1")
    case $answer in
        *200) printf '%s\n' "${answer%?200}" ;;
        *) printf '%s\n' "$answer" >&2; return 1 ;;
    esac
}

post "learn?label=spam" application/json '{"text": "Free money, win big now"}'
post "learn?label=ham" application/json '{"text": "Lunch with the team on Friday"}'
post classify message/rfc822 "Subject: Win free money now"
