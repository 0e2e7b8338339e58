/** HTTP servers of verbs. */
@NullMarked
package dev.rlm.server.http;

import org.jspecify.annotations.NullMarked;
