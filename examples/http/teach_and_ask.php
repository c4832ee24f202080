<?php
// Teach and ask a deciban server from PHP, without extensions.
// Usage: DECIBAN_URL=http://127.0.0.1:8420 DECIBAN_KEY=… php teach_and_ask.php

function post(string $path, string $body, string $type): array
{
    $context = stream_context_create(["http" => [
        "method" => "POST",
        "header" => ["Authorization: Bearer " . getenv("DECIBAN_KEY"), "Content-Type: $type"],
        "content" => $body,
        "ignore_errors" => true, // the answer tells what went wrong
    ]]);
    $answer = file_get_contents(getenv("DECIBAN_URL") . "/v1/spaces/mail/$path", false, $context);
    if ($answer === false) {
        throw new RuntimeException("no server answers");
    }
    $record = json_decode($answer, true, 512, JSON_THROW_ON_ERROR);
    if (isset($record["code"])) { // a problem has a code for programs and a sentence for people
        throw new RuntimeException("{$record["status"]} {$record["code"]}: {$record["detail"]}");
    }
    return $record;
}

try {
    post("learn?label=spam", json_encode(["text" => "Free money, win big now"]), "application/json");
    post("learn?label=ham", json_encode(["text" => "Lunch with the team on Friday"]), "application/json");
    $filler = str_repeat("x", (int) getenv("DECIBAN_SIZE"));
    $answer = post("classify", "Subject: Win free money now\n\n$filler", "message/rfc822");
    printf("%s %.1f dB\n", $answer["label"], $answer["decibans"]);
} catch (Exception $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
