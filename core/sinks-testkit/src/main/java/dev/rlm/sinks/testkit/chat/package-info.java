/**
 * A server that speaks OpenAI's chat completions and says what a test wants, for tests of whatever calls models:
 * replies whole and in streams, calls of tools, log probabilities, and all that goes wrong with such servers. It has
 * no model and needs no network beyond this machine.
 *
 * <pre>{@code
 * try (ChatServer server = ChatServer.start()) {
 *     server.answer(ChatAnswer.refusal(429, "slow down").header("Retry-After", "1"));
 *     server.answer(ChatAnswer.text("").tool("call-1", "calculator", "{\"expression\":\"6*7\"}").pieces(4));
 *     server.answer(ChatAnswer.text("42").cutAfter(1));
 *     ...                                  // your agent, with server.baseUrl() as its base URL
 *     assertThat(server.requests()).hasSize(3);
 * }
 * }</pre>
 *
 * <p>What is to stall waits at a {@link dev.rlm.sinks.testkit.fault.Gate}, so that no test waits for time.
 */
@NullMarked
package dev.rlm.sinks.testkit.chat;

import org.jspecify.annotations.NullMarked;
