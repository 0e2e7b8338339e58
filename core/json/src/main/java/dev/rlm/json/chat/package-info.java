/** Conversations with models as providers' APIs and OpenTelemetry's conventions write them, read and written in one way. */
@NullMarked
package dev.rlm.json.chat;

import org.jspecify.annotations.NullMarked;
