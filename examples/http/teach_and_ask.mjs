// Teach and ask a deciban server from Node (18 or later), without packages.
// Usage: DECIBAN_URL=http://127.0.0.1:8420 DECIBAN_KEY=… node teach_and_ask.mjs
const { DECIBAN_URL: url, DECIBAN_KEY: key } = process.env;

export async function post(path, body, type = "application/json") {
  const response = await fetch(`${url}/v1/spaces/mail/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": type },
    body: type === "application/json" ? JSON.stringify(body) : body,
  });
  const answer = await response.json();
  // A problem has a code for programs and a sentence for people.
  if (!response.ok) throw new Error(`${answer.status} ${answer.code}: ${answer.detail}`);
  return answer;
}

try {
  await post("learn?label=spam", { text: "Free money, win big now" });
  await post("learn?label=ham", { text: "Lunch with the team on Friday" });
  const size = Number(process.env.DECIBAN_SIZE ?? 0);
  const answer = await post("classify", "Subject: Win free money now\n\n" + "x".repeat(size), "message/rfc822");
  console.log(answer.label, answer.decibans.toFixed(1), "dB");
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
