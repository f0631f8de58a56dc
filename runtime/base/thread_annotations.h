// Which lock guards what, said so that clang checks it (-Wthread-safety); nothing for other compilers.
#pragma once

#if defined(__clang__)
#define PILUM_THREAD_ANNOTATION(what) __attribute__((what))
#else
#define PILUM_THREAD_ANNOTATION(what)
#endif

// Of a class: it is a lock; it holds one from its constructor to its destructor.
#define PILUM_CAPABILITY(name) PILUM_THREAD_ANNOTATION(capability(name))
#define PILUM_SCOPED_CAPABILITY PILUM_THREAD_ANNOTATION(scoped_lockable)

// Of a member: it is touched with the lock held.
#define PILUM_GUARDED_BY(lock) PILUM_THREAD_ANNOTATION(guarded_by(lock))

// Of a function: who calls it holds the lock, alone or with other readers; holds it afterwards; holds it no more; holds
// it if the function returns this value; does not hold it; gets a reference to it.
#define PILUM_REQUIRES(...) PILUM_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define PILUM_REQUIRES_SHARED(...) PILUM_THREAD_ANNOTATION(requires_shared_capability(__VA_ARGS__))
#define PILUM_ACQUIRE(...) PILUM_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define PILUM_ACQUIRE_SHARED(...) PILUM_THREAD_ANNOTATION(acquire_shared_capability(__VA_ARGS__))
#define PILUM_RELEASE(...) PILUM_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define PILUM_RELEASE_SHARED(...) PILUM_THREAD_ANNOTATION(release_shared_capability(__VA_ARGS__))
#define PILUM_TRY_ACQUIRE(...) PILUM_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define PILUM_EXCLUDES(...) PILUM_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define PILUM_RETURN_CAPABILITY(lock) PILUM_THREAD_ANNOTATION(lock_returned(lock))

// Of a function that clang cannot follow; say why.
#define PILUM_NO_THREAD_SAFETY_ANALYSIS PILUM_THREAD_ANNOTATION(no_thread_safety_analysis)
