/** HTTP servers of verbs. */
@NullMarked
package dev.rlm.cli.http;

import org.jspecify.annotations.NullMarked;
