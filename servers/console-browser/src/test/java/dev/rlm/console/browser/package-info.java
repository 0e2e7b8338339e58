/** The pages of the verb {@code view} in Chromium. */
@NullMarked
package dev.rlm.console.browser;

import org.jspecify.annotations.NullMarked;
