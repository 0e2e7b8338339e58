/** The environment of task folders: an agent works with command lines, and a verifier judges what it leaves. */
@NullMarked
package dev.rlm.runner.taskfolder;

import org.jspecify.annotations.NullMarked;
