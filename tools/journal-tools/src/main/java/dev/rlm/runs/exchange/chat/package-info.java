/** Chats of one JSON object a line, read and written, and the older form that ShareGPT made known. */
@NullMarked
package dev.rlm.runs.exchange.chat;

import org.jspecify.annotations.NullMarked;
