/** The environment of chats whose messages a trainer brings. */
@NullMarked
package dev.rlm.runner.chat;

import org.jspecify.annotations.NullMarked;
